// What a runtime holds while it computes a program.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph.h"

namespace isomer::cost {

/// The most bytes of results that are needed at one time, in the order of the graph: a runtime that takes
/// another one may hold more. Views are what they are of; values that are `known` (known_values) are left
/// out.
double most_live(const ir::Graph& graph, const std::vector<bool>& known,
                 const std::function<double(ir::ValueId)>& bytes);

}  // namespace isomer::cost
