// Shapes of the results of a few operators on matrices, as a reader of docs/operators.md would work them out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ir/context.h"
#include "ir/op_table.h"

namespace isomer::rewrite {

using MatrixShape = std::vector<int64_t>;

/// Nothing where the operands do not fit.
inline std::optional<MatrixShape> matrix_shape(ir::Context& ctx, ir::OpId op, ir::PayloadId payload,
                                               const std::vector<MatrixShape>& of) {
  const ir::OpDef& def = ctx.ops().get(op);
  const auto ints = [&](const char* name) {
    for (size_t i = 0; i < def.attrs.size(); ++i)
      if (def.attrs[i].name == name) return std::get<MatrixShape>(ctx.get(ctx.get(payload)[i]));
    throw std::logic_error("no such attribute");
  };
  const auto integer = [&](const char* name) {
    for (size_t i = 0; i < def.attrs.size(); ++i)
      if (def.attrs[i].name == name) return std::get<int64_t>(ctx.get(ctx.get(payload)[i]));
    throw std::logic_error("no such attribute");
  };
  if (def.name == "neg" || def.name == "relu") return of[0];
  if (def.name == "add" || def.name == "mul") return of[0] == of[1] ? std::optional(of[0]) : std::nullopt;
  if (def.name == "matmul")
    return of[0][1] == of[1][0] ? std::optional(MatrixShape{of[0][0], of[1][1]}) : std::nullopt;
  if (def.name == "transpose") {
    const MatrixShape perm = ints("perm");
    return MatrixShape{of[0][static_cast<size_t>(perm[0])], of[0][static_cast<size_t>(perm[1])]};
  }
  if (def.name == "concat") {
    const auto axis = static_cast<size_t>(integer("axis"));
    MatrixShape sum = of[0];
    sum[axis] += of[1][axis];
    return of[0][1 - axis] == of[1][1 - axis] ? std::optional(sum) : std::nullopt;
  }
  if (def.name == "slice") {
    const MatrixShape axes = ints("axes"), starts = ints("starts"), ends = ints("ends");
    MatrixShape part = of[0];
    for (size_t i = 0; i < axes.size(); ++i) {
      int64_t& size = part[static_cast<size_t>(axes[i])];
      size = std::max<int64_t>(std::min(ends[i], size) - starts[i], 0);
    }
    return part;
  }
  throw std::logic_error("not an operator of this test: " + def.name);
}

}  // namespace isomer::rewrite
