// Which values a program needs: what its outputs depend on.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace isomer::ir {

/// By value: whether an output depends on it; these count as needed themselves.
std::vector<bool> needed_values(const Graph& graph);
/// By value: whether one of those that are marked depends on it, or it is marked itself.
std::vector<bool> needed_for(const Graph& graph, std::vector<bool> marked);

}  // namespace isomer::ir
