#include "runtime/xla_pool.h"

#include <algorithm>
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
  Xla xla(place);
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop();
    }
    job(xla);
  }
}

void XlaPool::run(std::vector<Job> jobs) {
  std::vector<std::future<void>> ends;
  for (Job& job : jobs) ends.push_back(job.get_future());
  {
    const std::lock_guard lock(mutex_);
    for (Job& job : jobs) waiting_.push(std::move(job));
  }
  more_.notify_all();
  for (std::future<void>& end : ends)
    end.wait();  // all of them, before one throws: they refer to the caller's
  for (std::future<void>& end : ends) end.get();
}

Xla::About XlaPool::about(XlaOptions options) {
  options.threads = threads_of_each_;
  Xla::About out;
  std::vector<Job> jobs;
  jobs.emplace_back([&](Xla& xla) { out = xla.about(options); });
  run(std::move(jobs));
  return out;
}

std::vector<std::vector<XlaProgram>> XlaPool::race(const std::vector<std::vector<std::string>>& groups,
                                                   XlaOptions options) {
  options.threads = threads_of_each_;
  std::vector<std::vector<XlaProgram>> out(groups.size());
  std::vector<Job> jobs;
  for (size_t i = 0; i < groups.size(); ++i)
    jobs.emplace_back([&, i](Xla& xla) {
      if (!options.stop.requested()) {
        out[i] = xla.race(groups[i], options);
        return;
      }
      out[i].resize(groups[i].size());
      for (XlaProgram& one : out[i]) one.error = "stopped";
    });
  run(std::move(jobs));
  return out;
}

}  // namespace isomer::runtime
