// The processor time of the thread that asks, as a clock: what is given seconds of it does as much on a busy
// machine as on an idle one, so that its result is the same.
#pragma once

#include <limits>
#include <utility>

#include "support/deadline.h"
#include "support/limits.h"

namespace isomer {

/// Work that waits, or a machine that is far too busy, is ended all the same: past `widest` it is infinitely
/// late.
class CpuClock final : public Clock {
 public:
  explicit CpuClock(Deadline widest = {}) : widest_(std::move(widest)) {}
  double seconds() const override {
    return widest_.passed() ? std::numeric_limits<double>::infinity() : thread_cpu_seconds();
  }

 private:
  Deadline widest_;
};

}  // namespace isomer
