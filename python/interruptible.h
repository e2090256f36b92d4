// Long calls from Python: the interpreter is free meanwhile, and Ctrl-C ends them.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "support/errors.h"
#include "support/limits.h"

namespace isomer::python {

/// What ends the work of the thread that runs; null where it does none.
inline thread_local const StopToken* at_work = nullptr;

/// Before a function of Python is asked from within the work.
inline void stop_if_asked() {
  if (at_work != nullptr && at_work->requested()) throw Error(ExitStatus::kInterrupted, "interrupted");
}

/// What work() returns, with the interpreter free: for what may have to wait for another thread's work.
template <class Work>
auto released(Work&& work) -> decltype(work()) {
  const nanobind::gil_scoped_release unlocked;
  return work();
}

/// What work(stop) returns. It works in a thread of its own, while this one listens: on Ctrl-C the token is
/// set, the work comes to its end, and KeyboardInterrupt is raised, here and in the function of Python that
/// is asked then. What is asked meanwhile by such a function, from within the work, is done right there: it
/// may need what the work holds.
template <class Work>
auto interruptible(Work&& work) -> decltype(work(std::declval<const StopToken&>())) {
  const nanobind::gil_scoped_release unlocked;
  if (at_work != nullptr) return work(*at_work);
  StopToken stop;
  std::atomic<unsigned long> worker{0};
  std::packaged_task<decltype(work(stop))()> task([&] {
    worker = PyThread_get_thread_ident();
    at_work = &stop;
    return work(stop);
  });
  auto result = task.get_future();
  std::thread thread(std::move(task));
  bool interrupted = false;
  bool told = false;  // the function of Python, if one was asked then
  constexpr std::chrono::milliseconds kPatience(20);
  while (result.wait_for(kPatience) != std::future_status::ready) {
    const nanobind::gil_scoped_acquire locked;
    if (!interrupted && PyErr_CheckSignals() != 0) {
      PyErr_Clear();
      interrupted = true;
      stop.request();
    }
    if (interrupted && !told) told = PyThreadState_SetAsyncExc(worker, PyExc_KeyboardInterrupt) > 0;
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
