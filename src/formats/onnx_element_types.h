// Which element types ONNX's operators take, by operator set: a rewrite may make an operator at a type that
// this version of ONNX has it not for.
#pragma once

#include <cstdint>

#include "ir/op.h"

namespace isomer::formats {

/// Whether ONNX has the element types of operands and result at all.
bool has_element_types(const ir::OpInstance& op);
/// Whether ONNX's operator of this spelling takes the element type of its data operand in this operator set.
/// True for spellings that name no types.
bool takes_element_type(const ir::Spelling& spelling, const ir::OpInstance& op, int64_t opset);

}  // namespace isomer::formats
