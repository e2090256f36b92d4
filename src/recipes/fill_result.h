// The fields of the main job's result, from what its steps return.
#pragma once

#include <optional>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/candidates.h"
#include "recipes/pricing.h"
#include "recipes/program_size.h"
#include "recipes/rewriting.h"
#include "recipes/trial.h"
#include "recipes/verification.h"

namespace isomer::recipes {

void fill_before(const ProgramSize& size, OptimizeResult& result);
/// A warning where costs are not those of the model's name.
void say_guessed(const PricingReport& report, OptimizeResult& result);
void fill_growth(const Growth& growth, OptimizeResult& result);
void fill_found(const Candidates& found, OptimizeResult& result);
void fill_timing(const std::optional<TimedPair::Figures>& figures, OptimizeResult& result);
void file_refusals(std::vector<RuntimeRefusal> refusals, OptimizeResult& result);
void fill_verified(Verified verified, OptimizeResult& result);
void fill_after(const ProgramSize& size, OptimizeResult& result);

}  // namespace isomer::recipes
