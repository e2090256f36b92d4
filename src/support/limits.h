// Limits are results, not errors (habit taken from egg's StopReason and HiGHS's two statuses): whatever
// runs long takes Limits, looks at them through a LimitWatch, returns the best it has and says why it ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

namespace isomer {

enum class StopReason : uint8_t {
  kRunning,    ///< has not stopped yet
  kSaturated,  ///< nothing left to do: the result is complete
  kIterationLimit,
  kNodeLimit,
  kTimeLimit,
  kMemoryLimit,
  kInterrupted,
};

/// Stable name used in JSON and logs: "saturated", "node-limit", ...
std::string_view to_string(StopReason reason);

/// Set from a signal handler or another thread; looked at by everything that runs long.
class StopToken {
 public:
  void request() { flag_->store(true, std::memory_order_relaxed); }
  bool requested() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

struct Limits {
  double seconds = std::numeric_limits<double>::infinity();      ///< wall time from the watch's start
  uint64_t memory_bytes = std::numeric_limits<uint64_t>::max();  ///< resident size of the process
  uint64_t nodes = std::numeric_limits<uint64_t>::max();         ///< e-nodes (or search states)
  uint64_t iterations = std::numeric_limits<uint64_t>::max();
  StopToken stop;
};

/// A running clock over Limits. `check` is cheap enough for inner loops (time is read every 64th call,
/// memory every 4096th).
class LimitWatch {
 public:
  explicit LimitWatch(const Limits& limits);

  /// kRunning, or why to stop. Once stopped it stays stopped.
  StopReason check(uint64_t nodes = 0, uint64_t iterations = 0);
  /// As check, but always reads clock and memory.
  StopReason check_now(uint64_t nodes = 0, uint64_t iterations = 0);
  double elapsed() const;
  /// Seconds left, at least 0; infinity without a time limit.
  double remaining() const;
  const Limits& limits() const { return limits_; }

 private:
  Limits limits_;
  std::chrono::steady_clock::time_point start_;
  uint32_t calls_ = 0;
  StopReason reason_ = StopReason::kRunning;
};

/// Resident set size of this process now, in bytes (0 where /proc is missing).
uint64_t resident_bytes();
/// CPU seconds of the whole process, and of the calling thread.
double process_cpu_seconds();
double thread_cpu_seconds();
/// Seconds of a monotonic clock.
double wall_seconds();

}  // namespace isomer
