// What is known when a program is compiled: the one rule that costs, e-graphs and prices of kernels ask.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace isomer::cost {

/// Of a result: a constant or a weight, or what is computed from such alone by an operator that can be
/// folded. Opaque ones cannot, and what decodes a stored form is better computed by the runtime.
bool is_known(const ir::OpDef& op, bool has_operands, bool operands_known);

/// For each value. `input`: whether the input of that number is known.
std::vector<bool> known_values(const ir::Graph& graph, const std::function<bool(size_t input)>& input);

}  // namespace isomer::cost
