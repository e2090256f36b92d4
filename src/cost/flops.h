// How much an operator computes and moves, derived from its meaning: a loop nest is iterations times the
// arithmetic of its scalar expressions; a composite is one pass over its operands and its result with the sum
// of its parts' arithmetic, as a fused kernel would do it.
#pragma once

#include "ir/graph.h"

namespace isomer::cost {

struct Work {
  double flops = 0;       ///< additions and multiplications 1 each, divisions and roots 4, exp, tanh, ... 8
  double macs = 0;        ///< multiply-accumulate pairs within flops (each is two of them)
  double bytes_read = 0;  ///< each operand once; of data-dependent or partial movement only what is moved
  double bytes_written = 0;
  bool free = false;  ///< no kernel at all: leaves, tuples, views of the same bytes

  double bytes() const { return bytes_read + bytes_written; }
};

/// Size that stands for symbolic and unknown dimensions.
inline constexpr int64_t kNominalSize = 64;

/// `op.output` must be set. Opaque operators: bytes only, and only those of operands of known size.
Work work_of(const ir::OpInstance& op, int64_t nominal_size = kNominalSize);
/// Sum over the nodes that the outputs need; `free` when nothing costs anything.
Work work_of(const ir::Graph& graph, int64_t nominal_size = kNominalSize);

/// Reshape, squeeze, unsqueeze and broadcast (which consumers absorb), shape: no data is touched.
bool is_view(const ir::OpDef& op);
/// Bytes of a tensor, or of all elements of a tuple; 0 where that is not known.
double bytes_of(const ir::Context& ctx, ir::TypeId type);

}  // namespace isomer::cost
