#include "codegen/gpu_fragments.h"

#include "codegen/make_loops.h"

namespace isomer::codegen {

using ir::IndexExpr;

namespace {

/// Of an element in rows and columns of squares: pairs lie along the columns.
Fragment in_squares(const IndexExpr& row, const IndexExpr& column) {
  Fragment out;
  out.of_pair = column.mod(2);
  out.lane_row = row.mod(kSquare);
  out.lane_column = column.mod(kSquare).floor_div(2);
  return out;
}

}  // namespace

Fragment left_fragment(const IndexExpr& row, const IndexExpr& step) {
  Fragment out = in_squares(row, step);
  out.row_half = row.floor_div(kSquare);
  out.step_half = step.floor_div(kSquare);
  return out;
}
Fragment right_fragment(const IndexExpr& column, const IndexExpr& step) {
  Fragment out = in_squares(column, step);
  out.step_half = step.floor_div(kSquare);
  return out;
}
Fragment sum_fragment(const IndexExpr& row, const IndexExpr& column) {
  Fragment out = in_squares(row, column);
  out.row_half = row.floor_div(kSquare);
  return out;
}

IndexExpr row_of_sum(const IndexExpr& row_half, const IndexExpr& lane_row) {
  return row_half * kSquare + lane_row;
}
IndexExpr column_of_sum(const IndexExpr& of_pair, const IndexExpr& lane_column) {
  return lane_column * 2 + of_pair;
}

FourSquares four_squares(LoopProgram& program) {
  const int square = add_variable(program, "j"), row = add_variable(program, "r"),
            column = add_variable(program, "c");
  constexpr int64_t kAtATime = 4;
  return {{{{square, kAtATime}, {row, kSquare}, {column, kSquare}}},
          IndexExpr::var(square),
          IndexExpr::var(row),
          IndexExpr::var(column)};
}

}  // namespace isomer::codegen
