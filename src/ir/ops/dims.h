// Dimensions that type rules compute, numbers or formulas over named sizes (size_formula.h). Where a size is
// only named a rule accepts what fits at some size: at the others the operator has no meaning, as it has none
// at numbers. Every rule is held against itself at numbers (tests/ir/ops_named_types_test.cpp).
#pragma once

#include <cstdint>
#include <optional>

#include "ir/op.h"
#include "ir/size_case.h"
#include "ir/size_formula.h"
#include "ir/size_sums.h"

namespace isomer::ir::ops {

/// Of a dimension that is known.
inline Size size_of(const OpInstance& op, Dim dim) { return ir::size_of(op.ctx, dim); }

/// At every size, or at some.
inline bool always_negative(const Size& size) { return SizeFacts().decide(size, kNegative) == true; }
inline bool may_be_positive(const Size& size) { return SizeFacts().decide(size, kPositive) != false; }
inline bool always_zero(const Size& size) { return SizeFacts().decide(size, kZero) == true; }

/// Replaces a dimension by what is computed of its size: false where that is no size.
inline bool set_dim(const OpInstance& op, Dim& dim, const std::optional<Size>& size) {
  dim = size ? dim_of(op.ctx, *size) : Dim::unknown();
  return !dim.is_unknown();
}

}  // namespace isomer::ir::ops
