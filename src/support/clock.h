// Where seconds come from. What runs long asks the clock that it was given, so that a test can let hours pass
// in a moment.
#pragma once

#include <atomic>

namespace isomer {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Since some moment that stays the same; never goes back.
  virtual double seconds() const = 0;
};

/// The machine's monotonic clock.
const Clock& steady_clock();

/// Stands still but for `advance`. Read and advanced from any thread.
class ManualClock final : public Clock {
 public:
  double seconds() const override { return now_.load(); }
  void advance(double seconds) { now_.store(now_.load() + seconds); }

 private:
  std::atomic<double> now_{0};
};

}  // namespace isomer
