// Leaves and plumbing: where values come from (input, weight, constant), tuples, and the two ways to hold
// what the table has no meaning for or that has a body of its own (opaque, call).
#include <fmt/format.h>

#include "ir/graph.h"
#include "ir/graph_copy.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/regions.h"

namespace isomer::ir::ops {
namespace {

Inferred declared_type(const OpInstance& op) {
  const int64_t type = op.i("type");
  return type >= 0 ? Inferred::ok(TypeId(static_cast<uint32_t>(type)))
                   : Inferred::fail("expected a type number");
}

OpDef leaf(std::string name, Core core, std::string doc, std::vector<AttrSpec> attrs) {
  OpDef def;
  def.name = std::move(name);
  def.doc = std::move(doc);
  def.kind = MeaningKind::kLeaf;
  def.core = core;
  def.attrs = std::move(attrs);
  def.infer = declared_type;
  return def;
}

void add_leaves(OpTable& table) {
  table.add(leaf("input", Core::kInput, "A program input. type: number of the value's type in the context.",
                 {{.name = "name", .kind = AttrKind::kString}, {.name = "type", .role = AttrRole::kType}}));
  OpDef weight =
      leaf("weight", Core::kWeight,
           "A constant whose contents are not given (S-expression models): known at compile time.",
           {{.name = "name", .kind = AttrKind::kString}, {.name = "type", .role = AttrRole::kType}});
  weight.range = RangeKind::kWeight;
  table.add(std::move(weight));
  OpDef constant = leaf("constant", Core::kConstant, "A constant of the context. id: its number.",
                        {{.name = "id", .role = AttrRole::kConstant}});
  constant.infer = [](const OpInstance& op) {
    const int64_t id = op.i("id");
    if (id < 0) return Inferred::fail("expected the number of a constant");
    return Inferred::ok(op.ctx.get(ConstantId(static_cast<uint32_t>(id))).type);
  };
  constant.range = RangeKind::kConstant;
  table.add(std::move(constant));
}

void add_tuples(OpTable& table) {
  OpDef tuple;
  tuple.name = "tuple";
  tuple.doc = "Several values as one.";
  tuple.kind = MeaningKind::kTuple;
  tuple.core = Core::kTuple;
  tuple.max_inputs = -1;
  tuple.infer = [](const OpInstance& op) {
    return Inferred::ok(op.ctx.intern(Type::tuple({op.inputs.begin(), op.inputs.end()})));
  };
  table.add(std::move(tuple));

  OpDef get;
  get.name = "get";
  get.doc = "Element `index` of a tuple.";
  get.kind = MeaningKind::kTuple;
  get.core = Core::kGet;
  get.range = RangeKind::kPart;
  get.levels = kAllLevels;
  get.attrs = {{.name = "index"}};
  get.min_inputs = get.max_inputs = 1;
  get.infer = [](const OpInstance& op) {
    const Type& type = op.type(0);
    const int64_t index = op.i("index");
    if (type.kind != TypeKind::kTuple)
      return Inferred::fail("expected a tuple, got " + print(op.ctx, op.inputs[0]));
    if (index < 0 || index >= static_cast<int64_t>(type.elements.size()))
      return Inferred::fail(fmt::format("a tuple of {} has no element {}", type.elements.size(), index));
    return Inferred::ok(type.elements[static_cast<size_t>(index)]);
  };
  table.add(std::move(get));
}

OpDef opaque_def() {
  OpDef opaque;
  opaque.name = "opaque";
  opaque.doc =
      "An operator without a meaning here, kept exactly. format: who reads `body`; op: its name, for people; "
      "body: the "
      "operator as its format stores it; captures: names by which a body refers to the last operands (ONNX "
      "control "
      "flow); type: number of the result's type; identity: absent, or a number nobody else has when the "
      "operator "
      "has effects or is random, so that equal ones are not merged.";
  opaque.kind = MeaningKind::kOpaque;
  opaque.core = Core::kOpaque;
  opaque.attrs = {
      {.name = "format", .kind = AttrKind::kString},
      {.name = "op", .kind = AttrKind::kString},
      {.name = "body", .kind = AttrKind::kString},
      {.name = "captures", .kind = AttrKind::kStrings, .optional = true},
      {.name = "type", .role = AttrRole::kType},
      {.name = "identity", .kind = AttrKind::kInt, .optional = true, .role = AttrRole::kIdentity}};
  opaque.max_inputs = -1;
  opaque.infer = declared_type;
  return opaque;
}

OpDef call_def() {
  OpDef call;
  call.name = "call";
  call.doc =
      "Applies the region numbered `region`: operands to its inputs, result(s) from its outputs (a tuple of "
      "several).";
  call.kind = MeaningKind::kComposite;
  call.attrs = {region_attr("region", AttrRole::kBody)};
  call.max_inputs = -1;
  call.infer = [](const OpInstance& op) {
    const Graph& body = region(op, AttrRole::kBody);
    if (auto bad = check_region(op, body); !bad.empty()) return Inferred::fail(bad);
    return several(op, types_of(body, body.outputs()));
  };
  call.expand = [](Builder& builder, const OpInstance& op, std::span<const ValueId> operands) {
    const Graph& body = region(op, AttrRole::kBody);
    GraphCopy copy(builder, body, GraphCopy::Names::kDropped);
    for (size_t i = 0; i < operands.size(); ++i) copy[body.inputs()[i]] = operands[i];
    copy.rest();
    return several(builder, copy.outputs());
  };
  return call;
}

}  // namespace

void register_leaf(OpTable& table) {
  add_leaves(table);
  add_tuples(table);
  table.add(opaque_def());
  table.add(call_def());
}

}  // namespace isomer::ir::ops
