// How long an extractor may go on: seconds of wall or of CPU time, and a token that ends it at once.
#pragma once

#include <algorithm>
#include <limits>

#include "support/ilp.h"
#include "support/limits.h"

namespace isomer::extract {

class Deadline {
 public:
  /// Starts now. limits.nodes bounds branch-and-bound nodes, for runs that must not depend on a clock.
  explicit Deadline(const Limits& limits, bool cpu_clock = false)
      : stop_(limits.stop), cpu_clock_(cpu_clock), branch_nodes_(limits.nodes) {
    end_ = now() + limits.seconds;
  }

  double remaining() const { return std::max(end_ - now(), 0.0); }
  bool over() const { return stop_.requested() || remaining() <= 0; }
  StopReason reason() const { return stop_.requested() ? StopReason::kInterrupted : StopReason::kTimeLimit; }
  /// Ends after `fraction` of what remains, or after `seconds`, if that is sooner.
  Deadline part(double fraction, double seconds = std::numeric_limits<double>::infinity()) const {
    Deadline sooner = *this;
    sooner.end_ = std::min(end_, now() + std::min(remaining() * fraction, seconds));
    return sooner;
  }
  const StopToken& stop() const { return stop_; }
  ilp::Options options() const {
    ilp::Options options;
    options.seconds = remaining();
    options.cpu_clock = cpu_clock_;
    if (branch_nodes_ < uint64_t{1} << 31) options.branch_nodes = static_cast<int64_t>(branch_nodes_);
    return options;
  }

 private:
  double now() const { return cpu_clock_ ? thread_cpu_seconds() : wall_seconds(); }

  StopToken stop_;
  bool cpu_clock_;
  uint64_t branch_nodes_;
  double end_;
};

}  // namespace isomer::extract
