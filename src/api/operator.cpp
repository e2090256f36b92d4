#include "api/operator.h"

#include "cost/flops.h"
#include "ir/context.h"
#include "ir/dtype.h"
#include "ir/print.h"

namespace isomer::api {
namespace {

std::vector<Dimension> dimensions(const ir::Context& ctx, const ir::Shape& shape) {
  std::vector<Dimension> out;
  for (ir::Dim d : shape) {
    if (d.is_static())
      out.emplace_back(d.size());
    else
      out.emplace_back(d.is_symbol() ? ctx.get(d.symbol()) : std::string("?"));
  }
  return out;
}

/// What a number stands for.
Attribute number(const ir::Context& ctx, ir::AttrRole role, int64_t value) {
  const auto id = static_cast<uint32_t>(value);
  if (ir::is_region(role)) return "graph " + ctx.get(ir::RegionId(id)).title();
  switch (role) {
    case ir::AttrRole::kType: return ir::print(ctx, ir::TypeId(id));
    case ir::AttrRole::kConstant: return ir::print(ctx, ctx.get(ir::ConstantId(id)).type);
    case ir::AttrRole::kDType: return std::string(ir::name(static_cast<ir::DType>(value)));
    default: return value;
  }
}

}  // namespace

ValueType describe(const ir::Context& ctx, ir::TypeId id) {
  ValueType out;
  if (!id.valid()) return out;
  const ir::Type& type = ctx.get(id);
  out.text = ir::print(ctx, id);
  if (type.is_tensor()) out.dtype = ir::name(type.dtype);
  if (type.is_ranked_tensor()) out.shape = dimensions(ctx, type.shape);
  return out;
}

Attribute describe(const ir::Context& ctx, const ir::AttrSpec& spec, ir::AttrId attribute) {
  return std::visit(
      [&](const auto& v) -> Attribute {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, int64_t>)
          return number(ctx, spec.role, v);
        else if constexpr (std::is_same_v<T, ir::Shape>)
          return dimensions(ctx, v);
        else
          return v;
      },
      ctx.get(attribute));
}

Operator describe(const ir::OpInstance& op) {
  Operator out;
  out.op = op.op.name;
  for (size_t i = 0; i < op.attrs.size(); ++i)
    if (op.attrs[i].valid())
      out.attributes.emplace(op.op.attrs[i].name, describe(op.ctx, op.op.attrs[i], op.attrs[i]));
  for (ir::TypeId type : op.inputs) out.operands.push_back(describe(op.ctx, type));
  out.type = describe(op.ctx, op.output);
  const cost::Work work = cost::work_of(op);
  out.flops = work.flops;
  out.bytes = work.bytes();
  return out;
}

}  // namespace isomer::api
