// Which element types ONNX's operators take, by operator set: a rewrite may make an operator at a type that
// this version of ONNX has it not for.
#pragma once

#include <cstdint>

#include "ir/op.h"

namespace isomer::formats {

/// Whether ONNX's operator for `op` takes the element type of its data operand in this operator set. True for
/// operators that the table does not know.
bool takes_element_type(const ir::OpInstance& op, int64_t opset);

}  // namespace isomer::formats
