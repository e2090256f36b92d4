// Lazy measuring of the costs that matter: extract under lower bounds, measure what was picked, and again,
// until nothing that is picked is unknown (Rewriting::pick decides, runtime/measured_cost.h measures).
#pragma once

#include "recipes/rewriting.h"
#include "runtime/measured_cost.h"
#include "support/deadline.h"

namespace isomer::recipes {

struct PricingReport {
  int rounds = 0;
  size_t measured = 0;    ///< operators, now
  bool complete = false;  ///< all costs of what is picked are known; else those that are not are guessed
  StopReason stop_reason = StopReason::kRunning;  ///< kTimeLimit, kInterrupted: the deadline ended it
  double seconds = 0;
  std::string outcome() const;  ///< in words, without what was known before
};

/// Rounds of measuring and extracting.
constexpr int kMostPricingRounds = 12;

/// The original's operators are measured first. Afterwards unknown costs are guesses.
PricingReport price_lazily(Rewriting& rewriting, runtime::MeasuredCost& model, const Deadline& until,
                           ProgressSink& progress);
/// What was measured, and what is known by now.
void record_prices(const PricingReport& report, const runtime::MeasuredCost& model, RunRecord& record);

}  // namespace isomer::recipes
