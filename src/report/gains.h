// Why the result is cheaper, in words: the steps from the input to what was found, grouped by what their rules say
// that they achieve (`aim` in rule files), with the cost that each group saved. Steps that only prepare others save
// nothing by themselves; what a group saved is the sum of the differences of the whole program's cost at its steps,
// so that all groups together save what the result does.
#pragma once

#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "support/run_record.h"

namespace isomer::report {

/// Those that save most first. Steps of rules that say nothing are grouped by their rule.
std::vector<Gain> gains(const std::vector<RewriteEntry>& chain, double cost_before);

/// What the first of them did, and the second where it saved a fifth or more: one sentence, empty without steps.
std::string why(const std::vector<Gain>& gains);

/// `result` with both filled in from the run's record.
OptimizeResult with_gains(OptimizeResult result, const RunRecord& record);

}  // namespace isomer::report
