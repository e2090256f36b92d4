#include "recipes/time_budget.h"

#include <limits>
#include <utility>

namespace isomer::recipes {
namespace {

constexpr double kSearchShare = 0.8;
/// What everything together may take beyond the limit; the last two seconds of it are for what cannot be cut.
constexpr double kTenth = 0.1, kMore = 5, kReserve = 2;

/// Of what is left when it begins, and at most so many seconds.
struct Share {
  double share, seconds;
};
Share share_of(TimeBudget::Step step) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  switch (step) {
    case TimeBudget::Step::kFold: return {0.35, kAny};
    case TimeBudget::Step::kMeasure: return {0.7, kAny};  // Trial knows how much is enough
    case TimeBudget::Step::kExplain: return {0.2, 8};
    case TimeBudget::Step::kVerify: return {0.9, kAny};
    case TimeBudget::Step::kReport: return {1, kAny};
  }
  return {1, kAny};
}

}  // namespace

Limits search_limits(const OptimizeOptions& options, const StopToken& stop) {
  Limits limits;
  limits.seconds = seconds_of(options.time_limit);
  if (options.memory_limit > 0) limits.memory_bytes = options.memory_limit;
  limits.nodes = options.node_limit;
  limits.iterations = options.iterations;
  limits.stop = stop;
  return limits;
}

TimeBudget::TimeBudget(double limit_seconds, bool search_alone, StopToken stop, const Clock& clock)
    : clock_(&clock),
      begin_(clock.seconds()),
      usual_(limit_seconds == kUsualLimit),
      stop_(std::move(stop)),
      search_(seconds_of(limit_seconds) * (search_alone ? 1 : kSearchShare), clock, stop_),
      all_(seconds_of(limit_seconds) * (1 + kTenth) + kMore - kReserve, clock) {}

void TimeBudget::allow_for(uint64_t weight_bytes) {
  constexpr double kSecondsEach = 120, kGiB = 0x1p30;
  const double more = kSecondsEach * (static_cast<double>(weight_bytes) / kGiB - 1);
  if (usual_ && more > 0) all_ = Deadline(all_.remaining() + more, *clock_);
  usual_ = false;
}

Deadline TimeBudget::begin(Step step) const {
  const Share share = share_of(step);
  const bool hears = step != Step::kVerify && !stop_.requested();
  return all_.part(share.share, share.seconds).with(hears ? stop_ : StopToken());
}

}  // namespace isomer::recipes
