#include "cost/nominal.h"

#include "ir/op_table.h"

namespace isomer::cost {
namespace {

using ir::Dim;
using ir::TypeId;

bool fix(ir::Shape& shape, int64_t size) {
  bool changed = false;
  for (Dim& d : shape)
    if (!d.is_static()) {
      d = Dim(size);
      changed = true;
    }
  return changed;
}

TypeId fix(ir::Context& ctx, TypeId id, int64_t size) {
  ir::Type type = ctx.get(id);
  bool changed = false;
  if (type.is_ranked_tensor()) changed = fix(type.shape, size);
  for (TypeId& element : type.elements) {
    const TypeId fixed = fix(ctx, element, size);
    changed = changed || fixed != element;
    element = fixed;
  }
  return changed ? ctx.intern(type) : id;
}

}  // namespace

NominalInstance::NominalInstance(const ir::OpInstance& op, int64_t nominal_size)
    : attrs_(op.attrs.begin(), op.attrs.end()),
      inputs_(op.inputs.begin(), op.inputs.end()),
      op_(op.ctx, op.op, attrs_, inputs_, op.output) {
  for (TypeId& input : inputs_) {
    const TypeId fixed = fix(op.ctx, input, nominal_size);
    replaced_ = replaced_ || fixed != input;
    input = fixed;
  }
  for (ir::AttrId& attr : attrs_)
    if (attr.valid())
      if (const auto* shape = std::get_if<ir::Shape>(&op.ctx.get(attr))) {
        ir::Shape fixed = *shape;
        if (fix(fixed, nominal_size)) {
          attr = op.ctx.intern(ir::AttrValue(fixed));
          replaced_ = true;
        }
      }
  const TypeId output = fix(op.ctx, op.output, nominal_size);
  replaced_ = replaced_ || output != op.output;
  op_.output = output;
  // Attributes that hold a type (input, opaque) are no business of shape arithmetic.
  if (replaced_ && op.op.kind != ir::MeaningKind::kLeaf && op.op.kind != ir::MeaningKind::kOpaque &&
      op.op.infer)
    if (const ir::Inferred again = op.op.infer(op_)) op_.output = again.type;
}

}  // namespace isomer::cost
