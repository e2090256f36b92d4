#include "support/limits.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace isomer {
namespace {

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::kRunning: return "running";
    case StopReason::kSaturated: return "saturated";
    case StopReason::kIterationLimit: return "iteration-limit";
    case StopReason::kNodeLimit: return "node-limit";
    case StopReason::kTimeLimit: return "time-limit";
    case StopReason::kMemoryLimit: return "memory-limit";
    case StopReason::kInterrupted: return "interrupted";
  }
  return "unknown";
}

LimitWatch::LimitWatch(const Limits& limits) : limits_(limits), start_(std::chrono::steady_clock::now()) {}

StopReason LimitWatch::check(uint64_t nodes, uint64_t iterations) {
  if (reason_ != StopReason::kRunning) return reason_;
  if (limits_.stop.requested()) return reason_ = StopReason::kInterrupted;
  if (nodes > limits_.nodes) return reason_ = StopReason::kNodeLimit;
  if (iterations > limits_.iterations) return reason_ = StopReason::kIterationLimit;
  ++calls_;
  if (calls_ % 64 == 1 && elapsed() > limits_.seconds) return reason_ = StopReason::kTimeLimit;
  if (calls_ % 4096 == 1 && limits_.memory_bytes != std::numeric_limits<uint64_t>::max() &&
      resident_bytes() > limits_.memory_bytes)
    return reason_ = StopReason::kMemoryLimit;
  return reason_;
}

StopReason LimitWatch::check_now(uint64_t nodes, uint64_t iterations) {
  calls_ = 0;
  return check(nodes, iterations);
}

double LimitWatch::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double LimitWatch::remaining() const { return std::max(0.0, limits_.seconds - elapsed()); }

uint64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long total = 0, resident = 0;
  const int fields = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return fields == 2 ? static_cast<uint64_t>(resident) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

double process_cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double thread_cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }

}  // namespace isomer
