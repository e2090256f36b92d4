// Threads that stay, for work that comes in many short rounds: a round costs a few microseconds, where
// starting threads for each would cost as much as the round.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace isomer {

class Crew {
 public:
  /// Of so many threads, the calling one among them; 0 counts as 1.
  explicit Crew(unsigned threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned threads() const { return static_cast<unsigned>(others_.size()) + 1; }
  /// work(item) for all below `items`, each by one of the threads. If some throw, the rest is done all the
  /// same, and the error of the first item that did is thrown. Not from two threads at a time.
  void run(size_t items, const std::function<void(size_t)>& work);
  /// CPU seconds of the rounds so far, on threads other than the calling one.
  double cpu_seconds() const { return cpu_nanoseconds_.load() * 1e-9; }

 private:
  void stay();
  void take_items();

  const std::function<void(size_t)>* work_ = nullptr;
  size_t items_ = 0;
  std::vector<std::exception_ptr> errors_;
  std::atomic<size_t> next_ = 0;
  std::atomic<uint32_t> round_ = 0, busy_ = 0;
  std::atomic<uint64_t> cpu_nanoseconds_ = 0;
  bool ending_ = false;
  std::vector<std::jthread> others_;
};

}  // namespace isomer
