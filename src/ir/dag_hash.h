// Structural hash of a graph: operators, attributes, types, constants by content and the order of inputs and
// outputs; not names, not ids, not the order in which independent nodes stand.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace isomer::ir {

uint64_t dag_hash(const Graph& graph);
/// Hash of the term below each value (inputs by their position).
std::vector<uint64_t> term_hashes(const Graph& graph);

}  // namespace isomer::ir
