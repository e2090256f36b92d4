// Triangular systems and Cholesky's factor, written out in operators that the IR has: a step for each row, of
// slices, products of matrices and quotients. So proofs, costs and rules see products and quotients, and not
// one more operator that nothing is known of. XLA's expanders loop over blocks of columns for their kernels'
// sake; these are by rows, and of matrices of at most so many.
#include "formats/hlo_lowering.h"

namespace isomer::formats {

using hlo::AttributeName;
using ir::ValueId;

namespace {

constexpr int64_t kMostRows = 256;

/// As the words of transpose_a are counted.
constexpr int64_t kNoTranspose = 1;

}  // namespace

/// Rows and columns of the last two dimensions.
ValueId HloLowering::block(ValueId x, std::pair<int64_t, int64_t> rows, std::pair<int64_t, int64_t> columns) {
  const Sizes all = ir::sizes_of(b_, x);
  std::vector<int64_t> from(all.size(), 0), to(all.begin(), all.end());
  const size_t row = all.size() - 2, column = all.size() - 1;
  from[row] = rows.first;
  to[row] = rows.second;
  from[column] = columns.first;
  to[column] = columns.second;
  return ranges(x, from, to, std::vector<int64_t>(all.size(), 1));
}

ValueId HloLowering::turned(ValueId x) {
  const auto rank = static_cast<int64_t>(ir::sizes_of(b_, x).size());
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank - 2; ++d) order.push_back(d);
  order.push_back(rank - 1);
  order.push_back(rank - 2);
  return ir::transpose(b_, x, order);
}

int64_t HloLowering::rows_of_square(size_t operand) const {
  const int64_t n = sizes(operand_shape(operand)).back();
  if (n < 1 || n > kMostRows) fail("expected a matrix of 1 to {} rows, found {}", kMostRows, n);
  if (!hlo::is_float(element_of(operand))) fail("expected floats, found {}", name(element_of(operand)));
  return n;
}

/// Column after column of L, where a = L L'. What lies above the diagonal is not read and is 0; XLA leaves
/// open what stands there.
ValueId HloLowering::cholesky(ValueId a) {
  const int64_t n = rows_of_square(0);
  const auto axis = static_cast<int64_t>(ir::sizes_of(b_, a).size()) - 1;
  const bool lower = number(AttributeName::kLower) != 0;
  if (!lower) a = turned(a);
  ValueId known;  // the columns so far
  for (int64_t j = 0; j < n; ++j) {
    ValueId column = block(a, {j, n}, {j, j + 1});
    if (j > 0) {
      const ValueId below = block(known, {j, n}, {0, j}), row = block(known, {j, j + 1}, {0, j});
      column = b_.add("sub", {column, b_.add("matmul", {below, turned(row)})});
    }
    const ValueId root = b_.add("sqrt", {block(column, {0, 1}, {0, 1})});
    column = b_.add("div", {column, ir::broadcast(b_, root, ir::sizes_of(b_, column))});
    if (j > 0) {
      Sizes above = ir::sizes_of(b_, column);
      above[static_cast<size_t>(axis) - 1] = j;
      const ValueId zeros = ir::broadcast(b_, b_.constant(b_.type(a).dtype, {}, {0}), above);
      column = b_.add("concat", {zeros, column}, {{"axis", axis - 1}});
      known = b_.add("concat", {known, column}, {{"axis", axis}});
    } else {
      known = column;
    }
  }
  return lower ? known : turned(known);
}

/// op(a) x = b, or x op(a) = b, which is the first one turned: row after row of x, from the one that needs no
/// other on. The other triangle is not read.
ValueId HloLowering::triangular_solve(ValueId a, ValueId b) {
  const int64_t n = rows_of_square(0);
  const auto rows = static_cast<int64_t>(ir::sizes_of(b_, a).size()) - 2;
  const bool left = number(AttributeName::kLeftSide) != 0;
  const bool turns = (number(AttributeName::kTransposeA) != kNoTranspose) == left;
  const bool lower = (number(AttributeName::kLower) != 0) != turns;
  const bool ones = number(AttributeName::kUnitDiagonal) != 0;
  if (turns) a = turned(a);
  if (!left) b = turned(b);
  const int64_t columns = ir::sizes_of(b_, b).back();
  ValueId known;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    ValueId row = block(b, {i, i + 1}, {0, columns});
    if (step > 0) {
      const ValueId factors = lower ? block(a, {i, i + 1}, {0, i}) : block(a, {i, i + 1}, {i + 1, n});
      row = b_.add("sub", {row, b_.add("matmul", {factors, known})});
    }
    if (!ones)
      row = b_.add("div", {row, ir::broadcast(b_, block(a, {i, i + 1}, {i, i + 1}), ir::sizes_of(b_, row))});
    if (step == 0)
      known = row;
    else
      known = b_.add("concat", lower ? Values{known, row} : Values{row, known}, {{"axis", rows}});
  }
  return left ? known : turned(known);
}

}  // namespace isomer::formats
