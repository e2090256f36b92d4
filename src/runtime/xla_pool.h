// Several processes of XLA, each on cores of its own, that time modules at once: no more than there are such
// cores. A process is started when it is first needed, and lives as long as the pool.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "runtime/xla.h"

namespace isomer::runtime {

/// May be asked by several threads at once.
class XlaPool {
 public:
  /// Of so many threads each. At least one worker, and no more than their threads have cores.
  explicit XlaPool(int workers, int threads = 1);
  ~XlaPool();
  XlaPool(const XlaPool&) = delete;
  XlaPool& operator=(const XlaPool&) = delete;

  int workers() const { return static_cast<int>(threads_.size()); }
  int threads_of_each() const { return threads_of_each_; }
  /// Throws MissingRuntimeError where jax is not installed.
  Xla::About about(XlaOptions options);
  /// Each group of modules in turn on the same inputs (Xla::race), groups beside one another: one for each.
  /// What the first of them throws is thrown when all have ended.
  std::vector<std::vector<XlaProgram>> race(const std::vector<std::vector<std::string>>& groups,
                                            XlaOptions options);

 private:
  using Job = std::packaged_task<void(Xla&)>;
  /// All of them, by whichever worker is free.
  void run(std::vector<Job> jobs);
  void serve(int place);
  void close();

  std::mutex mutex_;
  std::condition_variable more_;
  std::queue<Job> waiting_;
  bool closed_ = false;
  int threads_of_each_;
  std::vector<std::thread> threads_;  ///< a worker ends with the thread that started it
};

}  // namespace isomer::runtime
