// Long calls from Python: the interpreter is free meanwhile, and Ctrl-C ends them.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "support/limits.h"

namespace isomer::python {

/// What work(stop) returns. It works in a thread of its own, while this one listens: on Ctrl-C the token is
/// set, the work comes to its end, and KeyboardInterrupt is raised. Only the main thread of Python hears
/// signals: elsewhere the work is done right here.
template <class Work>
auto interruptible(Work&& work) -> decltype(work(std::declval<const StopToken&>())) {
  const nanobind::gil_scoped_release unlocked;
  StopToken stop;
  std::packaged_task<decltype(work(stop))()> task([&] { return work(stop); });
  auto result = task.get_future();
  std::thread thread(std::move(task));
  bool interrupted = false;
  constexpr std::chrono::milliseconds kPatience(20);
  while (result.wait_for(kPatience) != std::future_status::ready) {
    const nanobind::gil_scoped_acquire locked;
    if (interrupted || PyErr_CheckSignals() == 0) continue;
    PyErr_Clear();
    interrupted = true;
    stop.request();
  }
  thread.join();
  if (interrupted) {
    const nanobind::gil_scoped_acquire locked;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    nanobind::raise_python_error();
  }
  return result.get();
}

}  // namespace isomer::python
