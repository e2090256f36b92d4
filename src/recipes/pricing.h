// Lazy measuring of the costs that matter: extract under lower bounds, measure what was picked, and again,
// until nothing that is picked is unknown (Rewriting::pick decides, runtime/measured_cost.h measures).
#pragma once

#include "recipes/rewriting.h"
#include "runtime/measured_cost.h"

namespace isomer::recipes {

struct PricingReport {
  int rounds = 0;
  size_t measured = 0;    ///< operators, now
  bool complete = false;  ///< all costs of what is picked are known; else those that are not are guessed
  double seconds = 0;
};

struct PricingOptions {
  int most_rounds = 12;
  double seconds = 60;  ///< of measuring and extracting
};

/// The original's operators are measured first. Afterwards unknown costs are guesses.
PricingReport price_lazily(Rewriting& rewriting, runtime::MeasuredCost& model, const StopToken& stop,
                           ProgressSink& progress, const PricingOptions& options = {});

}  // namespace isomer::recipes
