// Lazy measuring of the costs that matter: extract under lower bounds, measure what was picked, and again,
// until nothing that is picked is unknown (Rewriting::pick decides, runtime/measured_cost.h measures). Where
// it may, it ends sooner, as branch and bound does: once the bound of an exact extraction under lower bounds
// leaves no gain that could be shown.
#pragma once

#include <limits>
#include <string>

#include "recipes/rewriting.h"
#include "runtime/measured_cost.h"
#include "runtime/timing_statistics.h"
#include "support/deadline.h"

namespace isomer::recipes {

struct PricingReport {
  int rounds = 0;
  size_t measured = 0;    ///< operators, now
  bool complete = false;  ///< what is picked is measured, as far as it can be; else the rest is guessed
  StopReason stop_reason = StopReason::kRunning;  ///< kTimeLimit, kInterrupted: the deadline ended it
  double seconds = 0;
  /// What a program may gain at most, as a share of the original's cost, even where what is a choice costs
  /// kDoubtOfCosts less than it seems to; not known where nothing was extracted exactly.
  double most_gain = std::numeric_limits<double>::infinity();
  /// No gain can be shown (runtime::kClearGain): what was not measured by then would not change that.
  bool hopeless() const { return 1 + most_gain < runtime::kClearGain; }
  std::string outcome() const;  ///< in words, without what was known before
};

/// A share: sums of single operators know nothing of what caches keep for the next one.
inline constexpr double kDoubtOfCosts = 0.2;

/// Rounds of measuring and extracting.
constexpr int kMostPricingRounds = 12;

/// The original's operators are measured first. `ends_early`: nothing more is once it is hopeless, which is
/// judged only where nothing that is a choice is guessed (MeasuredCost::bounds_choices) and all that was
/// picked by then is measured. Afterwards unknown costs are guesses.
PricingReport price_lazily(const Rewriting& rewriting, runtime::MeasuredCost& model, const Deadline& until,
                           ProgressSink& progress, bool ends_early = false);
/// What was measured, and what is known by now.
void record_prices(const PricingReport& report, const runtime::MeasuredCost& model, RunRecord& record);

}  // namespace isomer::recipes
