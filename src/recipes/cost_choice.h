// A cost model by the name a user gives it, the calibrated one included.
#pragma once

#include <memory>
#include <string>

#include "cost/cost_model.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

/// Names of cost::make_cost_model, and "roofline:local", which asks the runtime (once; kept in the user's
/// cache). Throws UsageError for unknown names, MissingRuntimeError when "roofline:local" finds no runtime.
std::unique_ptr<cost::CostModel> choose_cost_model(const std::string& name, int threads,
                                                   const StopToken& stop, ProgressSink& progress);

}  // namespace isomer::recipes
