// Floats of one or two bytes that no machine has, read and written by what their row says of them
// (ir::FloatFormat), so that a type which is added to the table is compiled as well.
#pragma once

#include <string>

#include "codegen/llvm_scalar.h"
#include "ir/dtype.h"

namespace isomer::codegen {

/// Whether numbers in single precision are all of the format's, and what is to be done with its exponents is
/// a product with a power of two.
bool single_holds(const ir::FloatFormat& format);
/// Whether the type is such a float: whole bytes, a sign, a mantissa, and exponents that single precision
/// has; false of those that LLVM has itself.
bool is_small_float(ir::DType dtype);
/// The number of a pattern, an integer of the type's bits in that register. Both ways numbers are in double
/// precision, or in single.
Scalar decoded(ScalarText& text, ir::DType dtype, const std::string& pattern, int lanes, bool in_double);
/// The pattern of a number, as ir::encode_float has it. `rounds`: false of what the type holds already, of
/// which infinity stays what it is, where the type has one, also if what is too large becomes its largest
/// number.
std::string encoded(ScalarText& text, ir::DType dtype, const Scalar& number, bool in_double, bool rounds);

}  // namespace isomer::codegen
