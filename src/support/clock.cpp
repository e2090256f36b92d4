#include "support/clock.h"

#include "support/limits.h"

namespace isomer {
namespace {

class SteadyClock final : public Clock {
 public:
  double seconds() const override { return wall_seconds(); }
};

}  // namespace

const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace isomer
