// Loop nests by the roles of axes. A declaration says of one axis of each role whether it is a dimension of
// the result, whether something is added up along it, and where operands are read along it; the nest follows
// for any number of axes.
//
// That a structured operation is told by an index map for each operand is MLIR's Linalg, where each rank is
// an operation of its own. That a role is told once, and types say how many axes have it, is ours.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/op.h"

namespace isomer::ir::ops {

/// One axis of a role.
struct Axis {
  size_t number = 0;  ///< among those of the role
  IndexExpr at;       ///< walks the result; 0 where it is no dimension of it
  IndexExpr step;     ///< walks what is added up; 0 where nothing is
};

/// Axes that are alike.
struct AxisRole {
  size_t count = 1;
  bool stays = true;              ///< each is a dimension of the result
  std::vector<Size> summed = {};  ///< how far each is added up; empty: nothing is
  /// Says where operands have a dimension for it: appends to the indices of their reads.
  std::function<void(const Axis&, std::vector<Read>& reads)> along = {};
};

/// A dimension of the result and of these operands.
AxisRole kept(size_t count, std::vector<size_t> operands);
/// Added up, and a dimension of these operands.
AxisRole summed(std::vector<Size> extents, std::vector<size_t> operands);

bool is_among(const std::vector<int64_t>& axes, size_t dim);
/// Of the dimensions of operands that are alike: those of `axes` are added up, and are 1 in the result or not
/// in it; the others are kept.
std::vector<AxisRole> summed_over(const std::vector<int64_t>& axes, std::span<const Size> extents,
                                  const std::vector<size_t>& operands, bool stay_as_one);

/// The space, the sums and one read of each operand, whose dimensions are in the order of the roles.
/// Accumulators and result are the caller's.
LoopNest nest_of(const OpInstance& op, std::span<const AxisRole> roles);
/// The same with the sum of the first two operands' products as its result.
LoopNest product_nest(const OpInstance& op, std::span<const AxisRole> roles);

}  // namespace isomer::ir::ops
