// Functions of numbers in single precision as polynomials in lanes, where the C library would be called for
// one lane after the other.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "codegen/llvm_scalar.h"

namespace isomer::codegen {

/// Nothing for functions that are not generated. What they compute does not depend on the number of lanes.
std::optional<Scalar> vector_math(ScalarText& text, ir::ScalarOp op, std::span<const Scalar> args);

}  // namespace isomer::codegen
