// Two muGraphs that say the same in another order: what a set of results is unique by.
#pragma once

#include <cstdint>

#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// Equal for muGraphs that differ in the order of nodes and of commutative operands only.
uint64_t structural_hash(const MuGraph& graph);

/// The same without sizes: whether a grid dimension or loop has several parts counts, how many does not, nor
/// which grid dimension is x.
uint64_t structure_hash(const MuGraph& graph);

}  // namespace isomer::mugraph
