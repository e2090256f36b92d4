// Threads that stay, for work that comes in many short rounds. Who begins a round works at it, and waits only
// for items that somebody has begun: a thread that wakes late, or gets no time, costs nothing. Where items
// are so short that waking a thread takes longer, none is woken.
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
  /// Items that take less, in seconds, are done by the calling thread alone.
  static constexpr double kWorthWaking = 50e-6;

  /// Of so many threads, the calling one among them; 0 counts as 1. Fewer where the system gives no more. A
  /// process that is forked off must not use or destroy it: its threads are not there.
  explicit Crew(unsigned threads, double worth_waking = kWorthWaking);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned threads() const { return static_cast<unsigned>(others_.size()) + 1; }
  /// work(item) for all below `items` (at most 2^20), each by one of the threads. If some throw, the rest is
  /// done all the same, and the error of the first item that did is thrown. Not from two threads at a time.
  void run(size_t items, const std::function<void(size_t)>& work);
  /// work(thread, item): the calling thread is 0, the others are numbered from 1.
  void run(size_t items, const std::function<void(size_t, size_t)>& work);
  /// CPU seconds of the items so far, on threads other than the calling one; waiting is not counted.
  double cpu_seconds() const { return static_cast<double>(cpu_nanoseconds_.load()) * 1e-9; }

 private:
  /// A round's number, how many items it has, and the next one, in one word: who has taken an item knows that
  /// the round will not end before it is done.
  struct Ticket {
    static constexpr unsigned kBits = 21;
    static constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
    uint64_t word;
    uint64_t next() const { return word & kMask; }
    uint64_t items() const { return word >> kBits & kMask; }
  };
  void stay(size_t thread);
  /// How many.
  size_t take_items(size_t thread);

  double worth_waking_;
  double per_item_ = 1;  ///< seconds, of the calling thread's items in the last rounds
  const std::function<void(size_t, size_t)>* work_ = nullptr;
  std::vector<std::exception_ptr> errors_;
  std::atomic<uint64_t> ticket_ = 0;
  std::atomic<uint32_t> open_ = 0;    ///< items of the round that are not done
  std::atomic<uint32_t> signal_ = 0;  ///< changes when somebody is to wake
  std::atomic<uint64_t> cpu_nanoseconds_ = 0;
  std::atomic<bool> ending_ = false;
  std::vector<std::jthread> others_;
};

}  // namespace isomer
