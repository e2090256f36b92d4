// An operator applied to many tiles at once: operands that carry further dimensions before their own, one
// result for each index of these. What changes is read off the declaration: axes move, permutations and
// shapes get the leading dimensions, products get them as batches, composites are written out. The idea is
// that of JAX's vmap; here it serves to state what all blocks of a kernel compute (kernel.h).
#pragma once

#include <span>
#include <vector>

#include "ir/shorthand.h"

namespace isomer::ir {

/// `op`: at the types of one tile. Operands have the sizes `lead` before their own. MisuseError for an
/// operator of which that is not known.
ValueId lift(Builder& b, const OpInstance& op, std::span<const ValueId> operands, const Sizes& lead);

/// The elements of a tuple that such an operator gives, or its one result.
std::vector<ValueId> lift_parts(Builder& b, const OpInstance& op, std::span<const ValueId> operands,
                                const Sizes& lead);

/// All of a graph: the values of its outputs (of tuples, of their elements).
std::vector<ValueId> lift(Builder& b, const Graph& body, std::span<const ValueId> operands,
                          const Sizes& lead);

/// One application: a node, or the definition of what does not stand in programs.
ValueId apply(Builder& b, const OpInstance& op, std::span<const ValueId> operands);

}  // namespace isomer::ir
