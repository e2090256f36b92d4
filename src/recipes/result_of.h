// What the main job tells, of what its steps returned.
#pragma once

#include "isomer/isomer.h"
#include "recipes/optimize_steps.h"
#include "support/run_record.h"

namespace isomer::recipes {

/// Of as many steps as there are: also where one failed.
OptimizeResult result_of(const OptimizeOptions& options, const RunRecord& record, const steps::Work& work);

}  // namespace isomer::recipes
