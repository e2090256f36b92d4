// The kernels that a runtime runs for an operator. It has one for most; where it has none, the operator is
// written out in others (formats/onnx.h), which hand each other what they compute in memory. That is how a
// convolution by Winograd's algorithm can compute less than half and take longer: costs of such operators are
// sums over kernels, not those of one fused kernel (cost/flops.h).
#pragma once

#include <span>
#include <vector>

#include "cost/cost_model.h"
#include "cost/flops.h"
#include "formats/onnx.h"

namespace isomer::runtime {

struct Kernels {
  std::vector<cost::Work> works;  ///< at least one
  /// The most bytes of operands and results that are needed at one time, weights not counted. In the order of
  /// the definition: a runtime that takes another one may hold more.
  double live_bytes = 0;
};

/// `op` has static types; `operands`: one for each operand, or none. What weights alone give is left out, and
/// what has no product in it counts as one kernel: runtimes fuse that.
Kernels kernels_of(const ir::OpInstance& op, std::span<const cost::OperandFacts> operands,
                   const formats::Dialect& dialect);

}  // namespace isomer::runtime
