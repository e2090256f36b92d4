// When work has to come to its end: a moment on a clock, or the user's stop, whichever is first. A value that
// is copied to whatever runs long, worker processes included (as `remaining` seconds). What has not come to
// its end by then says so in its result.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "support/clock.h"
#include "support/limits.h"

namespace isomer {

class Deadline {
 public:
  /// Never.
  Deadline() = default;
  /// In `seconds` from now.
  Deadline(double seconds, const Clock& clock, StopToken stop = {})
      : clock_(&clock), end_(clock.seconds() + seconds), stop_(std::move(stop)) {}

  /// Seconds left, at least 0; the stop does not count here.
  double remaining() const { return clock_->seconds() < end_ ? end_ - clock_->seconds() : 0; }
  bool passed() const { return stop_.requested() || clock_->seconds() >= end_; }
  /// kInterrupted or kTimeLimit once it has passed, else kRunning.
  StopReason reason() const {
    if (stop_.requested()) return StopReason::kInterrupted;
    return clock_->seconds() >= end_ ? StopReason::kTimeLimit : StopReason::kRunning;
  }
  /// A share of what is left, and at most so many seconds, of the same stop.
  Deadline part(double share, double seconds = std::numeric_limits<double>::infinity()) const {
    Deadline sooner = *this;
    const double left = remaining();
    sooner.end_ = std::min(end_, clock_->seconds() + std::min(share * left, seconds));
    return sooner;
  }
  /// The same moment, of another stop.
  Deadline with(StopToken stop) const {
    Deadline other = *this;
    other.stop_ = std::move(stop);
    return other;
  }
  const StopToken& stop() const { return stop_; }

 private:
  const Clock* clock_ = &steady_clock();
  double end_ = std::numeric_limits<double>::infinity();
  StopToken stop_;
};

}  // namespace isomer
