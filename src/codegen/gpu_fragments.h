// Where in a warp the elements lie that tensor cores multiply: NVIDIA's PTX manual, "Matrix fragments for
// mma.m16n8k16", "ldmatrix" and, for the sums of a group of warps, "Register fragments for wgmma". All are
// made of squares of 8 by 8, of whose elements thread r * 4 + c has two neighbours: row r, columns 2c and
// 2c + 1. It is said here once, by index expressions, for all that make loops of such products.
#pragma once

#include <array>
#include <utility>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// An instruction's rows, columns and steps of the sum; of a square.
inline constexpr int64_t kFragmentRows = 16, kFragmentColumns = 8, kFragmentSteps = 16, kSquare = 8;
/// The threads of a warp, as rows and columns of a square.
inline constexpr int64_t kLaneRows = 8, kLaneColumns = 4;

/// Where an element is: which of a thread's own ones, and in which thread.
struct Fragment {
  ir::IndexExpr row_half, step_half;  ///< the square: 0 or 1; 0 where there is one only
  ir::IndexExpr of_pair;              ///< 0 or 1
  ir::IndexExpr lane_row, lane_column;
};
/// Of the left operand, of the right one, which lies as columns by steps, and of the sums: by numbers of row,
/// column and step in the instruction.
Fragment left_fragment(const ir::IndexExpr& row, const ir::IndexExpr& step);
Fragment right_fragment(const ir::IndexExpr& column, const ir::IndexExpr& step);
Fragment sum_fragment(const ir::IndexExpr& row, const ir::IndexExpr& column);
/// The inverse: a thread's own element of the sums.
ir::IndexExpr row_of_sum(const ir::IndexExpr& row_half, const ir::IndexExpr& lane_row);
ir::IndexExpr column_of_sum(const ir::IndexExpr& of_pair, const ir::IndexExpr& lane_column);

/// Four squares, which are loaded at a time (ldmatrix).
struct FourSquares {
  std::array<std::pair<int, int64_t>, 3> loops;  ///< variables: which square, its rows and columns
  ir::IndexExpr square, row, column;
};
FourSquares four_squares(LoopProgram& program);

}  // namespace isomer::codegen
