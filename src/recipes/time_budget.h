// How the time limit of the main job is spent, so that all of it ends by the limit, a tenth more and five
// seconds; reading the model and writing files alone are not cut. What searches (explore, price, search,
// extract) ends at a share of the limit. Each step after that has a share of what is left when it begins: who
// is done early leaves more to the others. What a step makes of the end of its time stands with the step;
// each says it in the result.
#pragma once

#include <cstdint>

#include "isomer/isomer.h"
#include "support/deadline.h"
#include "support/limits.h"

namespace isomer::recipes {

/// OptimizeOptions::time_limit where the user gave none: so many seconds, and more for large weights.
inline constexpr double kUsualLimit = -1, kUsualSeconds = 60;
inline double seconds_of(double time_limit) { return time_limit == kUsualLimit ? kUsualSeconds : time_limit; }

/// Of what searches.
Limits search_limits(const OptimizeOptions& options, const StopToken& stop);

class TimeBudget {
 public:
  /// Begins now; a limit as of the options. `search_alone`: nothing follows the search, which then has the
  /// whole limit.
  TimeBudget(double limit_seconds, bool search_alone, StopToken stop, const Clock& clock = steady_clock());

  const Deadline& search() const { return search_; }
  /// Where the user gave no limit: what follows the search has two minutes more for each GiB of weights
  /// beyond the first, since each load and each run of such a model takes seconds. Once: later calls change
  /// nothing.
  void allow_for(uint64_t weight_bytes);

  enum class Step { kFold, kMeasure, kExplain, kVerify, kReport };
  /// Its deadline, if it begins now. A stop that was requested before ended the step that was at work then,
  /// not this one. Verifying hears no stop: what it has not shown is not written.
  Deadline begin(Step step) const;

  double elapsed() const { return clock_->seconds() - begin_; }

 private:
  const Clock* clock_;
  double begin_;
  bool usual_;
  StopToken stop_;
  Deadline search_, all_;
};

}  // namespace isomer::recipes
