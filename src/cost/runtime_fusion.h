// Which operators a runtime computes within the one before, so that they cost next to nothing of their own: a
// convolution takes in normalisation, scale, bias, the sum of a residual connection and one activation; a
// matrix product a bias over its last dimension and a scalar factor. These are ONNX Runtime's fusions on a
// CPU (its passes conv_*_fusion, nchwc_transformer, matmul_add_fusion, matmul_scale_fusion), which XLA and
// OpenVINO share. What it gets wrong: whether the producer has other consumers is not known where nodes are
// priced, so a shared producer is taken to be fused as well.
#pragma once

#include "cost/cost_model.h"

namespace isomer::cost {

/// Bytes that have to be brought into a runtime's own layout for convolutions, or out of it, before the
/// operator can read them: convolutions and pools want the one, all that knows dimensions apart the other.
/// Only values of four dimensions whose channels fill blocks of eight have it (ONNX Runtime's NCHWc on a
/// CPU).
double converted_bytes(const NodeCostQuery& query);

/// Whether a runtime computes the normalisation together with the sum of three dimensions before it (ONNX
/// Runtime: SkipLayerNormalization), whose kernel has a price of its own. (On the CPU, version 1.31: five
/// times that of the two kernels.)
bool takes_sum(const NodeCostQuery& query);
/// Whether some question about the operator can have that answer.
bool may_take_sum(const ir::OpDef& op);

/// False where the query says nothing about operands.
bool is_absorbed(const NodeCostQuery& query);

}  // namespace isomer::cost
