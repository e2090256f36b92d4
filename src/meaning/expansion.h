// The definition of a composite at given types, as a graph of its own: the one place that writes it out.
// Flattening inlines it, costs sum it. It is written out once for each context.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ir/graph.h"

namespace isomer::meaning {

/// What a meaning depends on within a context: operator, attributes and types.
std::vector<uint64_t> instance_key(const ir::OpInstance& op);

/// Inputs: one for each operand, in order; one output, of the type that the definition gives. Null where
/// it cannot be written out: a type rule that cannot say what becomes of symbolic sizes, or sizes that do
/// not fit together.
std::shared_ptr<const ir::Graph> expand(const ir::OpInstance& op);

}  // namespace isomer::meaning
