#include "ir/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/attempt.h"
#include "ir/constant_data.h"
#include "ir/graph_copy.h"
#include "ir/needed.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::ir {

const OpDef& Graph::def(ValueId v) const { return ctx_->ops().get(op(v)); }

Graph Graph::over(Context& branch) const {
  Graph out = *this;
  out.ctx_ = &branch;
  return out;
}

std::vector<uint32_t> Graph::use_counts() const {
  std::vector<uint32_t> uses(size());
  for (ValueId o : operand_) ++uses[o.index()];
  for (ValueId o : outputs_) ++uses[o.index()];
  return uses;
}

Builder::Builder(Context& ctx, std::string title) {
  graph_.ctx_ = &ctx;
  graph_.title_ = std::move(title);
}

ValueId Builder::add_typed(OpId op, PayloadId payload, std::span<const ValueId> operands, TypeId type) {
  const ValueId id(graph_.size());
  for (ValueId o : operands) REQUIRE(o.index() < id.index(), "an operand that is not in the graph yet");
  graph_.op_.push_back(op);
  graph_.payload_.push_back(payload);
  graph_.type_.push_back(type);
  graph_.operand_.insert(graph_.operand_.end(), operands.begin(), operands.end());
  graph_.first_operand_.push_back(static_cast<uint32_t>(graph_.operand_.size()));
  graph_.name_.emplace_back();
  return id;
}

Inferred Builder::try_add(OpId op, PayloadId payload, std::span<const ValueId> operands, ValueId& out) {
  std::vector<TypeId> types;
  types.reserve(operands.size());
  for (ValueId o : operands) types.push_back(type_id(o));
  Inferred result = infer(context(), op, context().get(payload), types);
  if (result) out = add_typed(op, payload, operands, result.type);
  return result;
}

ValueId Builder::add(OpId op, PayloadId payload, std::span<const ValueId> operands) {
  const Attempt* const attempt = Attempt::of(*this);
  ValueId out;
  Inferred result;
  if (attempt == nullptr || *attempt) result = try_add(op, payload, operands, out);
  if (result) return out;
  REQUIRE(attempt != nullptr, result.error);
  attempt->note(std::move(result.error));
  return add_typed(op, payload, operands, attempt->type_of_stand_in());
}

// Nearly all callers write both lists in place: by value is what they need.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
ValueId Builder::add(std::string_view name, std::vector<ValueId> operands, std::vector<NamedAttr> attrs) {
  const OpId op = context().ops().at(name);
  return add(op, make_payload(op, attrs), operands);
}

PayloadId Builder::make_payload(OpId op, const std::vector<NamedAttr>& attrs) {
  const OpDef& def = context().ops().get(op);
  std::vector<AttrId> ids(def.attrs.size());
  for (size_t i = 0; i < ids.size(); ++i)
    if (def.attrs[i].fallback) ids[i] = context().intern(*def.attrs[i].fallback);
  for (const NamedAttr& a : attrs) {
    const int i = def.attr_index(a.name);
    REQUIRE(i >= 0, fmt::format("operator {} declares no attribute {}", def.name, a.name));
    ids[static_cast<size_t>(i)] = context().intern(a.value);
  }
  return context().intern(ids);
}

ValueId Builder::input(std::string name, TypeId type) {
  const ValueId v = add("input", {}, {{"name", name}, {"type", static_cast<int64_t>(type.v)}});
  graph_.inputs_.push_back(v);
  set_name(v, std::move(name));
  return v;
}

ValueId Builder::constant(ConstantId id) { return add("constant", {}, {{"id", static_cast<int64_t>(id.v)}}); }

ValueId Builder::constant(DType dtype, const std::vector<int64_t>& shape, const std::vector<double>& values) {
  return constant(add_constant(context(), dtype, shape, values));
}

ValueId Builder::get(ValueId tuple, int64_t index) { return add("get", {tuple}, {{"index", index}}); }

Graph Builder::finish(std::vector<ValueId> outputs) {
  for (ValueId o : outputs) REQUIRE(o.index() < graph_.size(), "an output that is not in the graph");
  graph_.outputs_ = std::move(outputs);
  std::erase_if(graph_.donations_, [&](const Graph::Donation& d) {
    REQUIRE(d.output < graph_.outputs_.size() && d.input < graph_.inputs_.size(),
            "an output or input that is not in the graph");
    return graph_.type_id(graph_.outputs_[d.output]) != graph_.type_id(graph_.inputs_[d.input]);
  });
  return std::move(graph_);
}

Graph prune(const Graph& graph) {
  const std::vector<bool> needed = needed_values(graph);
  Builder builder(graph.context(), graph.title());
  GraphCopy copy(builder, graph);
  copy.inputs();
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ValueId v(i); needed[i] && !copy[v].valid()) copy.add(v);
  builder.donate_as(graph);
  return builder.finish(copy.outputs());
}

std::vector<SymbolId> names_of_inputs(const Graph& graph) {
  std::vector<SymbolId> out;
  for (const ValueId input : graph.inputs())
    for (const Dim d : graph.type(input).shape)
      if (d.is_symbol() && std::ranges::find(out, d.symbol()) == out.end()) out.push_back(d.symbol());
  return out;
}

}  // namespace isomer::ir
