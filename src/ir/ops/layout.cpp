// Images in another order of memory, as operators: a value that is stored with its channels last, or in
// blocks of channels, is a value of another shape, and what computes on it is an operator of its own, defined
// by the one that it stands for. So a layout is a choice like any other: conversions are nodes with a price,
// rules move them, and extraction decides on substitutions and layouts together (what TASO, SOSP 2019, does
// by trying layouts of whole operators in its cost-based search, and TENSAT, MLSys 2021, names as future
// work). Matrices need none of this: transpose is the conversion, and products of transposed operands have
// names (gemm, fused_matmul).
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

std::string check_image(const OpInstance& op, size_t rank) {
  if (op.i("block") < 0) return fmt::format("expected a block of 0 or more channels, got {}", op.i("block"));
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return bad;
  return check_rank(op, 0, rank);
}

Inferred infer_to(const OpInstance& op) {
  if (auto bad = check_image(op, 4); !bad.empty()) return Inferred::fail(bad);
  const Shape& x = op.in_shape(0);
  const int64_t block = op.i("block");
  if (block == 0) return tensor_like(op, {x[0], x[2], x[3], x[1]});
  if (!x[1].is_static() || x[1].size() % block != 0)
    return Inferred::fail(fmt::format("expected channels in blocks of {}", block));
  return tensor_like(op, {x[0], Dim(x[1].size() / block), x[2], x[3], Dim(block)});
}

Inferred infer_from(const OpInstance& op) {
  const int64_t block = op.i("block");
  if (auto bad = check_image(op, block == 0 ? 4 : 5); !bad.empty()) return Inferred::fail(bad);
  const Shape& x = op.in_shape(0);
  if (block == 0) return tensor_like(op, {x[0], x[3], x[1], x[2]});
  if (!x[1].is_static() || !x[4].is_static() || x[4].size() != block)
    return Inferred::fail(fmt::format("expected blocks of {} channels", block));
  return tensor_like(op, {x[0], Dim(x[1].size() * block), x[2], x[3]});
}

ValueId expand_to(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const int64_t block = op.i("block");
  if (block == 0) return b.add("transpose", {in[0]}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  const Shape& x = op.in_shape(0);
  const Shape parts = {x[0], Dim(x[1].size() / block), Dim(block), x[2], x[3]};
  return b.add("transpose", {b.add("reshape", {in[0]}, {{"shape", parts}})},
               {{"perm", std::vector<int64_t>{0, 1, 3, 4, 2}}});
}

ValueId expand_from(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const int64_t block = op.i("block");
  if (block == 0) return b.add("transpose", {in[0]}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
  const Shape& x = op.in_shape(0);
  const ValueId parts = b.add("transpose", {in[0]}, {{"perm", std::vector<int64_t>{0, 1, 4, 2, 3}}});
  return b.add("reshape", {parts}, {{"shape", Shape{x[0], Dim(x[1].size() * block), x[2], x[3]}}});
}

/// The type that a conversion makes of `type`.
Inferred converted(Context& ctx, const char* conversion, AttrId block, TypeId type) {
  return infer(ctx, ctx.ops().at(conversion), std::span(&block, 1), std::span(&type, 1));
}

/// `base` (known to the table by then) on an image that is stored in another layout, and its result.
OpDef in_layout(const OpDef& base) {
  OpDef def = operation("layout." + base.name, MeaningKind::kComposite, base.min_inputs, base.max_inputs,
                        base.name + " of a first operand, and with a result, in the layout of layout.to.",
                        base.attrs);
  def.attrs.push_back(int_attr("block"));
  def.images = true;
  def.in_layout_of = base.name;
  const size_t own = base.attrs.size();
  def.infer = [own, name = base.name](const OpInstance& op) {
    Inferred image = converted(op.ctx, "layout.from", op.attrs[own], op.inputs[0]);
    if (!image) return image;
    std::vector<TypeId> types(op.inputs.begin(), op.inputs.end());
    types[0] = image.type;
    const Inferred result = infer(op.ctx, op.ctx.ops().at(name), op.attrs.first(own), types);
    return result ? converted(op.ctx, "layout.to", op.attrs[own], result.type) : result;
  };
  def.expand = [own, name = base.name](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    const int64_t block = op.i("block");
    std::vector<ValueId> operands(in.begin(), in.end());
    operands[0] = b.add("layout.from", {in[0]}, {{"block", block}});
    const ValueId result =
        b.add(b.context().ops().at(name), b.context().intern(op.attrs.first(own)), operands);
    return b.add("layout.to", {result}, {{"block", block}});
  };
  return def;
}

}  // namespace

void register_layout(OpTable& table) {
  OpDef to =
      operation("layout.to", MeaningKind::kComposite, 1, {},
                "x [N,C,H,W] with its channels last, [N,H,W,C], where block is 0; else in blocks of so many "
                "channels: [N,C/block,H,W,block].",
                {int_attr("block")});
  to.infer = infer_to;
  to.expand = expand_to;
  to.range = RangeKind::kMoveOrZero;
  table.add(std::move(to));
  OpDef from = operation("layout.from", MeaningKind::kComposite, 1, {}, "What layout.to was made of.",
                         {int_attr("block")});
  from.infer = infer_from;
  from.expand = expand_from;
  from.range = RangeKind::kMove;
  table.add(std::move(from));
  for (const char* base : {"conv", "max_pool", "avg_pool", "taso.conv2d", "taso.poolmax", "taso.poolavg"})
    table.add(in_layout(table.get(table.at(base))));
}

}  // namespace isomer::ir::ops
