#include "cost/nominal.h"

#include "ir/op_table.h"

namespace isomer::cost {
namespace {

using ir::Dim;
using ir::TypeId;

int64_t size_of(const ir::Context& ctx, Dim d, const NominalSizes& sizes) {
  if (!d.is_symbol() || sizes.named.empty()) return sizes.others;
  const auto found = sizes.named.find(ctx.get(d.symbol()));
  return found == sizes.named.end() ? sizes.others : found->second;
}

bool fix(const ir::Context& ctx, ir::Shape& shape, const NominalSizes& sizes) {
  bool changed = false;
  for (Dim& d : shape)
    if (!d.is_static()) {
      d = Dim(size_of(ctx, d, sizes));
      changed = true;
    }
  return changed;
}

}  // namespace

TypeId nominal_type(ir::Context& ctx, TypeId id, const NominalSizes& sizes) {
  ir::Type type = ctx.get(id);
  bool changed = false;
  if (type.is_ranked_tensor()) changed = fix(ctx, type.shape, sizes);
  for (TypeId& element : type.elements) {
    const TypeId fixed = nominal_type(ctx, element, sizes);
    changed = changed || fixed != element;
    element = fixed;
  }
  return changed ? ctx.intern(type) : id;
}

NominalInstance::NominalInstance(const ir::OpInstance& op, const NominalSizes& sizes)
    : attrs_(op.attrs.begin(), op.attrs.end()),
      inputs_(op.inputs.begin(), op.inputs.end()),
      op_(op.ctx, op.op, attrs_, inputs_, op.output) {
  for (TypeId& input : inputs_) {
    const TypeId fixed = nominal_type(op.ctx, input, sizes);
    replaced_ = replaced_ || fixed != input;
    input = fixed;
  }
  for (ir::AttrId& attr : attrs_)
    if (attr.valid())
      if (const auto* shape = std::get_if<ir::Shape>(&op.ctx.get(attr))) {
        ir::Shape fixed = *shape;
        if (fix(op.ctx, fixed, sizes)) {
          attr = op.ctx.intern(ir::AttrValue(fixed));
          replaced_ = true;
        }
      }
  const TypeId output = nominal_type(op.ctx, op.output, sizes);
  replaced_ = replaced_ || output != op.output;
  op_.output = output;
  // Attributes that hold a type (input, opaque) are no business of shape arithmetic.
  if (replaced_ && op.op.kind != ir::MeaningKind::kLeaf && op.op.kind != ir::MeaningKind::kOpaque &&
      op.op.infer)
    if (const ir::Inferred again = op.op.infer(op_)) op_.output = again.type;
}

}  // namespace isomer::cost
