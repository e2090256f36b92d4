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

/// Of the thread that runs.
inline thread_local bool is_at_work = false;

/// What work(stop) returns. It works in a thread of its own, while this one listens: on Ctrl-C the token is
/// set, the work comes to its end, and KeyboardInterrupt is raised. What is asked meanwhile by a function of
/// Python, from within the work, is done right there: it may need what the work holds.
template <class Work>
auto interruptible(Work&& work) -> decltype(work(std::declval<const StopToken&>())) {
  const nanobind::gil_scoped_release unlocked;
  StopToken stop;
  if (is_at_work) return work(stop);
  std::packaged_task<decltype(work(stop))()> task([&] {
    is_at_work = true;
    return work(stop);
  });
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
