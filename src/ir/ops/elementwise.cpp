#include "ir/ops/elementwise.h"

#include <fmt/format.h>

#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {

std::string check_same_shapes(const OpInstance& op) {
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (!same_shape(op.in_shape(i), op.in_shape(0)))
      return fmt::format("expected operands of one shape, got {} and {}", print_shape(op.ctx, op.in_shape(0)),
                         print_shape(op.ctx, op.in_shape(i)));
  return {};
}

std::vector<LoopNest> pointwise_nest(const OpInstance& op, ScalarExpr result) {
  LoopNest nest;
  nest.space = op.out_extents();
  for (size_t i = 0; i < op.inputs.size(); ++i)
    nest.reads.push_back(read_all(static_cast<int>(i), nest.space.size()));
  nest.result = std::move(result);
  return {std::move(nest)};
}

void register_elementwise(OpTable& table) {
  register_elementwise_unary(table);
  register_conversion(table);
  register_elementwise_binary(table);
}

}  // namespace isomer::ir::ops
