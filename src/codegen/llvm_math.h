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

/// Whole bytes, a sign, an exponent and a mantissa; not of those that LLVM has.
bool is_small_float(ir::DType dtype);
/// The number of a pattern, an integer of the type's bits in that register. Both ways numbers are in double
/// precision, or in single.
Scalar decoded(ScalarText& text, ir::DType dtype, const std::string& pattern, int lanes, bool in_double);
/// The pattern of a number, as ir::encode_float has it.
std::string encoded(ScalarText& text, ir::DType dtype, const Scalar& number, bool in_double);

}  // namespace isomer::codegen
