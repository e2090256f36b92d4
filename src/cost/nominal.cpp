#include "cost/nominal.h"

#include <optional>

#include "ir/op_table.h"
#include "ir/size_at.h"

namespace isomer::cost {

using ir::Dim;
using ir::TypeId;

namespace {

/// Of a name by itself; nothing where it stays.
std::optional<int64_t> size_of_name(const ir::Context& ctx, ir::SymbolId name, const Replacement& by) {
  if (by.sizes != nullptr)
    if (const auto at = by.sizes->find(ctx.get(name)); at != by.sizes->end()) return at->second;
  return std::nullopt;
}

Dim size_of(const ir::Context& ctx, Dim d, const Replacement& replacement) {
  if (d.is_static()) return d;
  if (d.is_symbol()) {
    if (const auto known = size_of_name(ctx, d.symbol(), replacement)) return Dim(*known);
    const auto of = [&](ir::SymbolId part) {
      const auto known = size_of_name(ctx, part, replacement);
      return known || replacement.others <= 0 ? known : std::optional(replacement.others);
    };
    if (const auto known = size_at(ctx, d, of)) return Dim(*known);
  }
  return replacement.others > 0 ? Dim(replacement.others) : d;
}

bool fix(const ir::Context& ctx, ir::Shape& shape, const Replacement& replacement) {
  bool changed = false;
  for (Dim& d : shape) {
    const Dim fixed = size_of(ctx, d, replacement);
    changed = changed || fixed != d;
    d = fixed;
  }
  return changed;
}

}  // namespace

TypeId sized_type(ir::Context& ctx, TypeId id, const Replacement& replacement) {
  ir::Type type = ctx.get(id);
  bool changed = false;
  if (type.is_ranked_tensor()) changed = fix(ctx, type.shape, replacement);
  for (TypeId& element : type.elements) {
    const TypeId fixed = sized_type(ctx, element, replacement);
    changed = changed || fixed != element;
    element = fixed;
  }
  return changed ? ctx.intern(type) : id;
}

NominalInstance::NominalInstance(const ir::OpInstance& op, const Replacement& replacement)
    : attrs_(op.attrs.begin(), op.attrs.end()),
      inputs_(op.inputs.begin(), op.inputs.end()),
      op_(op.ctx, op.op, attrs_, inputs_, op.output) {
  for (TypeId& input : inputs_) {
    const TypeId fixed = sized_type(op.ctx, input, replacement);
    replaced_ = replaced_ || fixed != input;
    input = fixed;
  }
  for (ir::AttrId& attr : attrs_)
    if (attr.valid())
      if (const auto* shape = std::get_if<ir::Shape>(&op.ctx.get(attr))) {
        ir::Shape fixed = *shape;
        if (fix(op.ctx, fixed, replacement)) {
          attr = op.ctx.intern(ir::AttrValue(fixed));
          replaced_ = true;
        }
      }
  const TypeId output = sized_type(op.ctx, op.output, replacement);
  replaced_ = replaced_ || output != op.output;
  op_.output = output;
  // Attributes that hold a type (input, opaque) are no business of shape arithmetic.
  if (replaced_ && op.op.kind != ir::MeaningKind::kLeaf && op.op.kind != ir::MeaningKind::kOpaque &&
      op.op.infer)
    if (const ir::Inferred again = op.op.infer(op_)) op_.output = again.type;
}

}  // namespace isomer::cost
