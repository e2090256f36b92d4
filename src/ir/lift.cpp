#include "ir/lift.h"

#include <algorithm>
#include <numeric>

#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

Sizes joined(const Sizes& lead, const Shape& shape) {
  Sizes out = lead;
  for (Dim d : shape) out.push_back(d.size());
  return out;
}

/// Whether each attribute of an operator of one operand (or of any number that are treated alike) says which
/// dimensions it is about, or is about none.
bool names_its_axes(const OpDef& def) {
  bool some = false;
  for (const AttrSpec& a : def.attrs) {
    switch (a.role) {
      case AttrRole::kAxis:
      case AttrRole::kAxes:
      case AttrRole::kNewAxes:
      case AttrRole::kPlaces:
      case AttrRole::kSliced:
      case AttrRole::kPermutation: some = true; break;
      case AttrRole::kStarts:
      case AttrRole::kEnds:
      case AttrRole::kSteps: break;
      default:
        if (a.kind == AttrKind::kShape)
          some = true;
        else if (a.role != AttrRole::kPlain || a.kind != AttrKind::kInt)
          return false;
    }
  }
  return some && (def.max_inputs == 1 || def.max_inputs < 0) && def.kind != MeaningKind::kProcedural;
}

AttrId moved(Context& ctx, const AttrSpec& spec, AttrId id, const Sizes& lead) {
  if (!id.valid()) return id;
  AttrValue value = ctx.get(id);
  const auto count = static_cast<int64_t>(lead.size());
  if (auto* shape = std::get_if<Shape>(&value)) {
    const Shape first = static_shape(lead);
    shape->insert(shape->begin(), first.begin(), first.end());
  } else if (spec.role == AttrRole::kAxis) {
    std::get<int64_t>(value) += count;
  } else if (spec.role == AttrRole::kAxes || spec.role == AttrRole::kNewAxes ||
             spec.role == AttrRole::kSliced) {
    for (int64_t& axis : std::get<std::vector<int64_t>>(value)) axis += count;
  } else if (spec.role == AttrRole::kPermutation || spec.role == AttrRole::kPlaces) {
    auto& perm = std::get<std::vector<int64_t>>(value);
    for (int64_t& axis : perm) axis += count;
    std::vector<int64_t> first(lead.size());
    std::iota(first.begin(), first.end(), int64_t{0});
    perm.insert(perm.begin(), first.begin(), first.end());
  }
  return ctx.intern(value);
}

PayloadId moved(const OpInstance& op, const Sizes& lead) {
  std::vector<AttrId> attrs;
  for (size_t i = 0; i < op.attrs.size(); ++i)
    attrs.push_back(moved(op.ctx, op.op.attrs[i], op.attrs[i], lead));
  return op.ctx.intern(attrs);
}

Graph definition(const OpInstance& op) {
  Builder b(op.ctx);
  std::vector<ValueId> operands;
  for (TypeId t : op.inputs) operands.push_back(b.input("", t));
  const ValueId out = op.op.expand(b, op, operands);
  return b.finish({out});
}

bool is_pointwise(const Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (!graph.def(ValueId(i)).is(Core::kInput) && graph.def(ValueId(i)).kind != MeaningKind::kPointwise)
      return false;
  return true;
}

/// The same number for every tile has no leading dimensions until it meets a tile. `parts`: of a tuple.
struct Lifted {
  ValueId value = {};
  bool lifted = false;
  std::vector<Lifted> parts = {};
};

Lifted lift_some(Builder& b, const OpInstance& op, std::span<const Lifted> operands, const Sizes& lead);

std::vector<Lifted> lift_all(Builder& b, const Graph& body, std::span<const Lifted> operands,
                             const Sizes& lead) {
  std::vector<Lifted> map(body.size());
  for (size_t i = 0; i < operands.size(); ++i) map[body.inputs()[i].index()] = operands[i];
  for (size_t i = 0; i < body.size(); ++i) {
    const ValueId v(i);
    if (body.def(v).is(Core::kInput)) continue;
    std::vector<Lifted> in;
    std::vector<TypeId> types;
    for (ValueId o : body.operands(v)) {
      in.push_back(map[o.index()]);
      types.push_back(body.type_id(o));
    }
    const OpInstance op(body.context(), body.def(v), body.attrs(v), types, body.type_id(v));
    map[i] = lift_some(b, op, in, lead);
  }
  std::vector<Lifted> out;
  for (ValueId o : body.outputs()) out.push_back(map[o.index()]);
  return out;
}

ValueId add(Builder& b, const OpInstance& op, PayloadId payload, std::span<const ValueId> operands) {
  return b.add(op.ctx.ops().at(op.op.name), payload, operands);
}

/// An operand that is the same for every tile, once for each.
ValueId for_each_tile(Builder& b, const Lifted& v, const Shape& own, const Sizes& lead) {
  return v.lifted ? v.value : broadcast(b, v.value, joined(lead, own));
}

Lifted lift_some(Builder& b, const OpInstance& op, std::span<const Lifted> operands, const Sizes& lead) {
  const OpDef& def = op.op;
  std::vector<ValueId> in;
  for (const Lifted& o : operands) in.push_back(o.value);
  const bool some = std::ranges::any_of(operands, &Lifted::lifted);
  if (def.is(Core::kBroadcast)) {
    // Dimensions are aligned at the right: those that it adds stand between the leading ones and the rest.
    const Shape& to = op.shape("shape");
    if (some && op.in_shape(0).size() < to.size()) {
      Sizes aligned(to.size() - op.in_shape(0).size(), 1);
      for (Dim d : op.in_shape(0)) aligned.push_back(d.size());
      in[0] = reshape(b, in[0], joined(lead, static_shape(aligned)));
    }
    return {broadcast(b, in[0], joined(lead, to)), true, {}};
  }
  if (def.is(Core::kTuple)) return {{}, some, {operands.begin(), operands.end()}};
  if (def.is(Core::kGet)) return operands[0].parts.at(static_cast<size_t>(op.i("index")));
  if (!some) return {add(b, op, op.ctx.intern(op.attrs), in), false, {}};
  if (def.kind == MeaningKind::kComposite) {
    const Graph body = definition(op);
    const bool one = op.ctx.get(op.output).kind != TypeKind::kTuple;
    const bool as_it_is = one && def.stands_at(kGraphLevel) && (lead.empty() || is_pointwise(body));
    if (!as_it_is) return lift_all(b, body, operands, lead)[0];
  }
  for (size_t i = 0; i < in.size(); ++i) in[i] = for_each_tile(b, operands[i], op.in_shape(i), lead);
  if (def.kind == MeaningKind::kPointwise || def.kind == MeaningKind::kComposite)
    return {add(b, op, op.ctx.intern(op.attrs), in), true, {}};
  if (def.is_matrix_product()) {
    REQUIRE(op.in_shape(0).size() == op.in_shape(1).size(), def.name + ": tiles of different ranks");
    return {add(b, op, op.ctx.intern(op.attrs), in), true, {}};
  }
  REQUIRE(names_its_axes(def), def.name + ": not known how many tiles are computed at once");
  return {add(b, op, moved(op, lead), in), true, {}};
}

/// Values of a result, or of its elements.
std::vector<ValueId> parts_of(Builder& b, const Lifted& v, const Context& ctx, TypeId type,
                              const Sizes& lead) {
  if (ctx.get(type).kind != TypeKind::kTuple) return {for_each_tile(b, v, ctx.get(type).shape, lead)};
  std::vector<ValueId> out;
  for (size_t i = 0; i < v.parts.size(); ++i)
    out.push_back(for_each_tile(b, v.parts[i], ctx.get(ctx.get(type).elements[i]).shape, lead));
  return out;
}

std::vector<Lifted> all_lifted(std::span<const ValueId> operands) {
  std::vector<Lifted> out;
  for (ValueId v : operands) out.push_back({v, true, {}});
  return out;
}

}  // namespace

ValueId apply(Builder& b, const OpInstance& op, std::span<const ValueId> operands) {
  if (!op.op.stands_at(kGraphLevel)) return op.op.expand(b, op, operands);
  return add(b, op, op.ctx.intern(op.attrs), operands);
}

ValueId lift(Builder& b, const OpInstance& op, std::span<const ValueId> operands, const Sizes& lead) {
  if (lead.empty()) return apply(b, op, operands);
  return lift_parts(b, op, operands, lead)[0];
}

std::vector<ValueId> lift_parts(Builder& b, const OpInstance& op, std::span<const ValueId> operands,
                                const Sizes& lead) {
  return parts_of(b, lift_some(b, op, all_lifted(operands), lead), op.ctx, op.output, lead);
}

std::vector<ValueId> lift(Builder& b, const Graph& body, std::span<const ValueId> operands,
                          const Sizes& lead) {
  std::vector<ValueId> out;
  const std::vector<Lifted> outputs = lift_all(b, body, all_lifted(operands), lead);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto parts = parts_of(b, outputs[i], body.context(), body.type_id(body.outputs()[i]), lead);
    out.insert(out.end(), parts.begin(), parts.end());
  }
  return out;
}

}  // namespace isomer::ir
