// What the main job tells, of what its steps returned.
#pragma once

#include "isomer/isomer.h"
#include "recipes/decision.h"
#include "recipes/optimize_steps.h"
#include "support/run_record.h"

namespace isomer::recipes {

/// Of as many steps as there are: also where one failed.
OptimizeResult result_of(const OptimizeOptions& options, const RunRecord& record, const steps::Work& work);

/// In the place of what the result said.
OptimizeResult decided(OptimizeResult result, Decision decision);

}  // namespace isomer::recipes
