// Elements of small tensors of sizes, and what scalar operators make of them: an integer is a size, a number
// or a formula over named ones (ir/size.h). Whatever is not certain at every size of what is named is no
// element at all; that is asked of what names can be (ir/size_case.h).
//
// Floats are numbers only, and only of operations that IEEE 754 rounds correctly: an exporter's
// Floor(Cast(size) * scale) must come out as the runtime's does, to the last bit.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "ir/context.h"
#include "ir/scalar_expr.h"

namespace isomer::eval {

/// Not certain, an integer (bools are 0 and 1), a float.
using SizeElement = std::variant<std::monostate, ir::Size, double>;

inline SizeElement whole(int64_t number) { return ir::Size(number); }
inline bool is_certain(const SizeElement& e) { return e.index() != 0; }
/// The integer, when that is certain and no name is in it.
std::optional<int64_t> as_number(const SizeElement& e);
/// The size of a dimension; not certain when that is unknown.
SizeElement size_element(const ir::Context& ctx, ir::Dim dim);

/// A scalar operator of one, two or three operands (kRead, kVar and their like have none).
SizeElement apply_scalar(ir::ScalarOp op, ir::DType dtype, const SizeElement& a, const SizeElement& b,
                         const SizeElement& c = {});
/// What an element type keeps of the value.
SizeElement rounded(ir::DType dtype, const SizeElement& e);

/// The size of two dimensions that broadcast together, in every run in which they do; unknown where that may
/// be either. Of min(s, n) and s, for n > 1, it is s: of two sizes that broadcast and differ one is 1. (A
/// slice [0 : s] of a table of n rows.)
ir::Dim broadcast_dim(const ir::Context& ctx, ir::Dim a, ir::Dim b);

}  // namespace isomer::eval
