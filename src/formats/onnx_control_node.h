// Loops and branches of a program that no file keeps (`while`, `conditional`) as ONNX's Loop and If. What
// ONNX's bodies do is what the regions do: of a loop whether it goes on is asked once before it and then at
// the end of each round; what both branches take are values around them that they refer to.
#pragma once

#include <span>

#include "formats/onnx.h"
#include "ir/graph.h"

namespace isomer::formats {

/// Whether it is such a loop, or such a choice.
bool is_repeated_or_chosen(const ir::OpDef& op);

/// The operator as a node (ir/ops/kept.cpp). Invalid where the dialect cannot say one of its bodies.
ir::ValueId control_node(ir::Builder& builder, const ir::OpInstance& op,
                         std::span<const ir::ValueId> operands, const Dialect& dialect);

}  // namespace isomer::formats
