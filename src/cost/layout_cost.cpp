#include "cost/layout_cost.h"

#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/op_table.h"

namespace isomer::cost {
namespace {

constexpr std::string_view kPrefix = "layout.";

/// The type that an image is stored as; invalid where its channels do not divide.
ir::TypeId convert(ir::Context& ctx, const char* op, ir::AttrId block, ir::TypeId image) {
  return ir::infer(ctx, ctx.ops().at(op), std::span(&block, 1), std::span(&image, 1)).type;
}

}  // namespace

LayoutCost::LayoutCost(std::unique_ptr<CostModel> inner, int64_t native, std::string name)
    : inner_(std::move(inner)), native_(native), name_(std::move(name)) {}

double LayoutCost::conversion(ir::Context& ctx, const char* op, ir::TypeId image) {
  const ir::AttrId block = ctx.intern(ir::AttrValue(native_));
  const ir::TypeId stored = convert(ctx, "layout.to", block, image);
  if (!stored.valid()) return 0;
  const bool to = std::string_view(op) == "layout.to";
  const ir::TypeId& operand = to ? image : stored;
  const ir::OpInstance instance(ctx, ctx.ops().get(ctx.ops().at(op)), std::span(&block, 1),
                                std::span(&operand, 1), to ? stored : image);
  return inner_->cost({instance, false, {}});
}

double LayoutCost::cost(const NodeCostQuery& query) {
  const ir::OpDef& def = query.op.op;
  const bool stored = def.name.starts_with(kPrefix) && def.name != "layout.to" && def.name != "layout.from";
  if (query.operands_are_weights || !(stored || is_windowed(def))) return inner_->cost(query);
  ir::Context& ctx = query.op.ctx;
  if (!stored)
    return inner_->cost(query) + conversion(ctx, "layout.to", query.op.inputs[0]) +
           conversion(ctx, "layout.from", query.op.output);
  const ir::AttrId block = query.op.attrs.back();
  std::vector<ir::TypeId> inputs(query.op.inputs.begin(), query.op.inputs.end());
  inputs[0] = convert(ctx, "layout.from", block, inputs[0]);
  const ir::TypeId output = convert(ctx, "layout.from", block, query.op.output);
  const ir::OpDef& base = ctx.ops().get(ctx.ops().at(std::string_view(def.name).substr(kPrefix.size())));
  const ir::OpInstance usual(ctx, base, query.op.attrs.first(query.op.attrs.size() - 1), inputs, output);
  double sum = inner_->cost({usual, false, query.operands});
  if (query.op.i("block") != native_)
    sum += conversion(ctx, "layout.to", inputs[0]) + conversion(ctx, "layout.from", output);
  return sum;
}

}  // namespace isomer::cost
