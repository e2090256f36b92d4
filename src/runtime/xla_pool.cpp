#include "runtime/xla_pool.h"

#include <algorithm>
#include <exception>
#include <latch>
#include <utility>

namespace isomer::runtime {

XlaPool::XlaPool(int workers, int threads) : threads_of_each_(std::max(1, threads)) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  const int count = std::clamp(workers, 1, std::max(1, cores / threads_of_each_));
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (...) {
    close();
    throw;
  }
}

XlaPool::~XlaPool() { close(); }

void XlaPool::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void XlaPool::serve(int place) {
  Xla xla;
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop();
    }
    job(xla, place);
  }
}

void XlaPool::run(std::vector<Job> jobs) {
  std::latch left(static_cast<std::ptrdiff_t>(jobs.size()));
  std::mutex failing;
  std::exception_ptr failure;
  {
    const std::lock_guard lock(mutex_);
    for (Job& job : jobs)
      waiting_.push([&, work = std::move(job)](Xla& xla, int place) {
        try {
          work(xla, place);
        } catch (...) {
          const std::lock_guard first(failing);
          if (!failure) failure = std::current_exception();
        }
        left.count_down();
      });
  }
  more_.notify_all();
  left.wait();
  if (failure) std::rethrow_exception(failure);
}

Xla::About XlaPool::about(const XlaOptions& options) {
  Xla::About out;
  run({[&](Xla& xla, int place) {
    XlaOptions own = options;
    own.place = place;
    own.threads = threads_of_each_;
    out = xla.about(own);
  }});
  return out;
}

std::vector<std::vector<XlaProgram>> XlaPool::race(const std::vector<std::vector<std::string>>& groups,
                                                   const XlaOptions& options) {
  std::vector<std::vector<XlaProgram>> out(groups.size());
  std::vector<Job> jobs;
  for (size_t i = 0; i < groups.size(); ++i)
    jobs.push_back([&, i](Xla& xla, int place) {
      XlaOptions own = options;
      own.place = place;
      own.threads = threads_of_each_;
      if (own.stop.requested()) {
        out[i].resize(groups[i].size());
        for (XlaProgram& one : out[i]) one.error = "stopped";
      } else {
        out[i] = xla.race(groups[i], own);
      }
    });
  run(std::move(jobs));
  return out;
}

}  // namespace isomer::runtime
