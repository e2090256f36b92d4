// The conditions of an ONNX model that its inputs decide: comparisons, and what joins them. Where trying
// inputs shows that two models agree, each of these should have been seen both ways.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/pair_trials.h"

namespace isomer::recipes {

/// Of the main graph, operands before users; without those that sizes and constants decide, that no output
/// needs, or that compare a value with itself. `graph`: the same model, for what its values can be.
std::vector<runtime::Condition> conditions_of(const std::string& path, const ir::Graph& graph);

}  // namespace isomer::recipes
