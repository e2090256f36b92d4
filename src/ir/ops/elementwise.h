// What pointwise operators share: operands of one shape, and the nest that reads each operand at the output's
// index.
#pragma once

#include <string>
#include <vector>

#include "ir/op.h"

namespace isomer::ir::ops {

/// Empty, or that the operands' shapes differ (broadcasting is explicit).
std::string check_same_shapes(const OpInstance& op);
/// The nest of a pointwise operator; read number i of `result` is operand i.
std::vector<LoopNest> pointwise_nest(const OpInstance& op, ScalarExpr result);

}  // namespace isomer::ir::ops
