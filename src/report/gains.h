// Why the result is cheaper, in words: the steps from the input to what was found, grouped by what their
// rules say that they achieve (`aim` in rule files). What a group is worth is how much more the cheapest
// program costs that does without it (recipes/rewriting.h, file_savings). Such amounts do not add up to what
// was saved: one group may make room for another, or stand in for it. The cost along the chain would mislead:
// what a step replaces stays in the program until its last user is rewritten, so that the last step seems to
// save everything.
#pragma once

#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "support/run_record.h"

namespace isomer::report {

/// Those that are worth most first.
std::vector<Gain> gains(const RunRecord& record);

/// What the first of them did, and the second where it is worth a fifth of that or more: one sentence, empty
/// without steps. `cost`: of what was found.
std::string why(const std::vector<Gain>& gains, double cost);

/// `result` with both filled in from the run's record.
OptimizeResult with_gains(OptimizeResult result, const RunRecord& record);

}  // namespace isomer::report
