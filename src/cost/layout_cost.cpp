#include "cost/layout_cost.h"

#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/op_table.h"

namespace isomer::cost {
namespace {

/// The type that an image is stored as; invalid where its channels do not divide.
ir::TypeId convert(ir::Context& ctx, const char* op, ir::AttrId block, ir::TypeId image) {
  return ir::infer(ctx, ctx.ops().at(op), std::span(&block, 1), std::span(&image, 1)).type;
}

}  // namespace

std::optional<NamedLayout> layout_of(std::string_view cost) {
  constexpr std::pair<std::string_view, int64_t> kLayouts[] = {{"nhwc", 0}, {"c8", 8}};
  const size_t plus = cost.find('+');
  if (plus == std::string_view::npos) return {};
  for (const auto& [layout, block] : kLayouts)
    if (cost.substr(plus + 1) == layout) return NamedLayout{cost.substr(0, plus), layout, block};
  return {};
}

LayoutCost::LayoutCost(std::unique_ptr<CostModel> inner, const NamedLayout& native)
    : inner_(std::move(inner)), native_(native.block), name_(native.layout) {}

std::unique_ptr<CostModel> LayoutCost::fork() const {
  std::unique_ptr<CostModel> inner = inner_->fork();
  if (!inner) return nullptr;
  return std::make_unique<LayoutCost>(std::move(inner), NamedLayout{{}, name_, native_});
}

double LayoutCost::conversion(ir::Context& ctx, Way way, ir::TypeId image) {
  const ir::AttrId block = ctx.intern(ir::AttrValue(native_));
  const ir::TypeId stored = convert(ctx, "layout.to", block, image);
  if (!stored.valid()) return 0;
  const bool into = way == Way::kInto;
  const ir::OpDef& op = ctx.ops().get(ctx.ops().at(into ? "layout.to" : "layout.from"));
  const ir::TypeId operand = into ? image : stored, result = into ? stored : image;
  return inner_->cost({{ctx, op, std::span(&block, 1), std::span(&operand, 1), result}, false, {}});
}

double LayoutCost::cost(const NodeCostQuery& query) {
  const ir::OpDef& def = query.op.op;
  const bool stored = !def.in_layout_of.empty();
  if (query.operands_are_weights || !(stored || def.windowed)) return inner_->cost(query);
  ir::Context& ctx = query.op.ctx;
  if (!stored)
    return inner_->cost(query) + conversion(ctx, Way::kInto, query.op.inputs[0]) +
           conversion(ctx, Way::kOutOf, query.op.output);
  const ir::AttrId block = query.op.attrs.back();
  std::vector<ir::TypeId> inputs(query.op.inputs.begin(), query.op.inputs.end());
  inputs[0] = convert(ctx, "layout.from", block, inputs[0]);
  const ir::TypeId output = convert(ctx, "layout.from", block, query.op.output);
  const ir::OpDef& base = ctx.ops().get(ctx.ops().at(def.in_layout_of));
  const ir::OpInstance usual(ctx, base, query.op.attrs.first(query.op.attrs.size() - 1), inputs, output);
  double sum = inner_->cost({usual, false, query.operands});
  if (query.op.i("block") != native_)
    sum += conversion(ctx, Way::kInto, inputs[0]) + conversion(ctx, Way::kOutOf, output);
  return sum;
}

}  // namespace isomer::cost
