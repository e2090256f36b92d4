// The conditions of an ONNX model that its inputs decide, by their elements or by their sizes alone:
// comparisons, what joins them, and numbers that are cast to bools. Where trying inputs shows that two
// models agree, each of these should have been seen both ways, and each number of rounds that a loop goes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/pair_trials.h"

namespace isomer::recipes {

/// Of the main graph, operands before users; without those that fixed sizes and constants decide, that no
/// output needs, or that compare a value with itself. `graph`: the same model, for what its values can be.
std::vector<runtime::Condition> conditions_of(const std::string& path, const ir::Graph& graph);

/// Outputs that elements of inputs decide, but for conditions that can be one way only.
std::set<std::string> decided_outputs(const std::string& path, const ir::Graph& graph);

/// A result of each node whose bodies compare what sizes may decide: comparisons, or casts to bools, stand in
/// them, and they see
/// sizes (by a Shape, or by an outer value that sizes alone decide). That is not seen from outside.
std::vector<std::string> hidden_conditions_of_sizes(const std::string& path, const ir::Graph& graph);

/// Loops of the main graph that go round as often as inputs say, where the model bounds how often that is (by
/// more than the types of its values do). A loop that its body ends is not seen from outside.
std::vector<runtime::Rounds> rounds_of(const std::string& path, const ir::Graph& graph);

}  // namespace isomer::recipes
