// What a module says beside values: order (control dependencies, tokens), layouts, and which results may be
// written over which arguments.
//
// Order is `after`. What has predecessors computes with operands that come after these. A token carries
// nothing but order: it is a truth value that comes after what the token waits for, and who takes a token
// comes after it. Layouts are said of what the entry takes, gives and copies; in between, where XLA assigns
// them itself, they are left out. An alias is a donation, must or may: a permission, which nobody has to use.
#include <algorithm>

#include "formats/hlo_lowering.h"
#include "ir/graph_copy.h"
#include "ir/layout.h"

namespace isomer::formats {

using hlo::AttributeName;
using hlo::Opcode;
using hlo::ShapeId;
using ir::ValueId;

/// `x` once the others are there; what is there from the beginning is nothing to wait for.
ValueId HloLowering::after(ValueId x, const Values& waits) {
  Values operands = {x};
  for (const ValueId v : waits) {
    const ir::Core core = b_.so_far().def(v).core;
    const bool is_given = core == ir::Core::kInput || core == ir::Core::kConstant;
    if (!is_given && std::ranges::find(operands, v) == operands.end()) operands.push_back(v);
  }
  return operands.size() == 1 ? x : b_.add("after", operands);
}

HloLowering::Values HloLowering::all_after(Values values, const Values& waits) {
  for (ValueId& v : values) v = after(v, waits);
  return values;
}

namespace {

/// Which of `values` are computed from one of `later`.
std::vector<bool> reached(const ir::Graph& graph, const std::vector<ValueId>& values,
                          const std::vector<ValueId>& later) {
  const uint32_t first = std::ranges::min(later, {}, &ValueId::v).v;
  std::vector<bool> is_reached(graph.size() - first);
  for (const ValueId v : later) is_reached[v.v - first] = true;
  for (uint32_t i = first; i < graph.size(); ++i)
    for (const ValueId operand : graph.operands(ValueId(i)))
      if (operand.v >= first && is_reached[operand.v - first]) is_reached[i - first] = true;
  std::vector<bool> out;
  for (const ValueId v : values) out.push_back(v.v >= first && is_reached[v.v - first]);
  return out;
}

}  // namespace

/// One operand that comes later makes the instruction come later, unless parts of it need some operands
/// alone. What does not need that operand comes later itself.
HloLowering::Values HloLowering::ordered(std::vector<Values> operands, const Values& waits) {
  if (waits.empty()) return instruction(operands);
  const Opcode opcode = m_[at_].opcode;
  const bool has_parts = opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
                         opcode == Opcode::kCall || opcode == Opcode::kFusion || has_complex();
  Values later;
  for (Values& operand : operands)
    for (ValueId& v : operand) {
      if (!later.empty() && !has_parts) break;
      v = after(v, waits);
      later.push_back(v);
    }
  Values out = instruction(operands);
  if (later.empty()) return all_after(std::move(out), waits);
  const std::vector<bool> is_later = reached(b_.so_far(), out, later);
  for (size_t i = 0; i < out.size(); ++i)
    if (!is_later[i]) out[i] = after(out[i], waits);
  return out;
}

ValueId HloLowering::token(const std::vector<Values>& operands) {
  if (operands.empty()) return integers(ir::DType::kBool, {}, {1});
  Values all;
  for (const Values& operand : operands) all.insert(all.end(), operand.begin(), operand.end());
  return after(all[0], all);
}

// --- layouts

std::span<const int64_t> HloLowering::of_module(AttributeName name) const {
  for (const hlo::Attribute& a : m_.attributes_of(m_.header))
    if (a.name == name) return m_.value(a);
  return {};
}

/// Of a parameter, or, behind these, of the result: as the module's header has it, else its own.
ShapeId HloLowering::entry_shape(size_t which, ShapeId own) const {
  const auto said = of_module(AttributeName::kEntryComputationLayout);
  if (said.size() != m_.parameters_of(m_.entry).size() + 1) return own;
  const ShapeId shape(static_cast<uint32_t>(said[which]));
  return m_.shapes.compatible(shape, own) ? shape : own;
}

std::vector<int> HloLowering::layout_of(ShapeId array) const {
  const auto minor_to_major = m_.shapes.minor_to_major(array);
  return ir::unless_row_major({minor_to_major.begin(), minor_to_major.end()});
}

ir::TypeId HloLowering::input_type(ShapeId leaf) const {
  const ir::TypeId plain = array_type(leaf);
  if (!lays_out_ || m_.shapes[leaf].kind != hlo::ShapeKind::kArray) return plain;
  ir::Type type = ctx_.get(plain);
  type.layout = layout_of(leaf);
  return ctx_.intern(type);
}

HloLowering::Values HloLowering::laid_out(Values values, ShapeId shape) {
  if (!lays_out_) return values;
  std::vector<ShapeId> all;
  leaves(shape, all);
  size_t next = 0;
  for (const ShapeId leaf : all) {
    const bool is_array = m_.shapes[leaf].kind == hlo::ShapeKind::kArray;
    const std::vector<int> layout = is_array ? layout_of(leaf) : std::vector<int>();
    for (size_t i = 0; i < values_for(leaf); ++i, ++next)
      if (is_array && b_.type(values[next]).layout != layout)
        values[next] =
            b_.add("copy", {values[next]}, {{"layout", std::vector<int64_t>(layout.begin(), layout.end())}});
  }
  return values;
}

// --- arguments that results may take the place of

/// The part of a shape that an index leads to, and how many values are before it.
std::pair<ShapeId, uint32_t> HloLowering::part_at(ShapeId shape, std::span<const int64_t> index) const {
  uint32_t before = 0;
  for (const int64_t i : index) {
    const hlo::Shape& of = m_.shapes[shape];
    if (of.kind != hlo::ShapeKind::kTuple || i < 0 || i >= int64_t{of.count})
      fail("expected the index of a part of {}, found {}", m_.shapes.print(shape, false), i);
    for (int64_t k = 0; k < i; ++k)
      before += static_cast<uint32_t>(values_in(m_.shapes.part(shape, static_cast<size_t>(k))));
    shape = m_.shapes.part(shape, static_cast<size_t>(i));
  }
  return {shape, before};
}

void HloLowering::donate() {
  const auto said = of_module(AttributeName::kInputOutputAlias);
  const auto parameters = m_.parameters_of(m_.entry);
  size_t at = 0;
  const auto index = [&] {
    const auto count = static_cast<size_t>(said[at]);
    at += 1 + count;
    return said.subspan(at - count, count);
  };
  std::vector<ir::Graph::Donation> all;
  while (at < said.size()) {
    const auto [result, output] = part_at(m_.shape(at_), index());
    const auto number = said[at++];
    if (number < 0 || number >= static_cast<int64_t>(parameters.size()))
      fail("expected the number of a parameter in input_output_alias, found {}", number);
    const auto [argument, first] = part_at(m_.shape(parameters[static_cast<size_t>(number)]), index());
    ++at;  // must or may
    uint32_t input = first;
    for (int64_t i = 0; i < number; ++i)
      input += static_cast<uint32_t>(values_in(m_.shape(parameters[static_cast<size_t>(i)])));
    if (!m_.shapes.compatible(result, argument))
      fail("expected {} in input_output_alias, found {}", m_.shapes.print(result, false),
           m_.shapes.print(argument, false));
    for (uint32_t i = 0; i < values_in(result); ++i) all.push_back({output + i, input + i});
  }
  for (const ir::Graph::Donation& d : all) {
    const auto is_again = [&](const ir::Graph::Donation& o) {
      return o.output == d.output || o.input == d.input;
    };
    if (std::ranges::count_if(all, is_again) > 1)
      fail("expected each result and each argument at most once in input_output_alias");
    b_.donate(d);
  }
}

ir::Graph HloLowering::program() {
  lays_out_ = true;
  std::vector<Values> arguments;
  inputs_of(m_.entry, arguments);
  const Values outputs = computation(m_.entry, arguments);
  const Reading reading(*this, m_[m_.entry].root);
  donate();
  return b_.finish(laid_out(outputs, entry_shape(m_.parameters_of(m_.entry).size(), m_.shape(at_))));
}

ir::Graph without_memory(const ir::Graph& graph) {
  ir::Builder b(graph.context(), graph.title());
  ir::GraphCopy copy(b, graph);
  const auto plain = [&](ValueId v) { return ir::without_layout(graph.context(), graph.type_id(v)); };
  for (const ValueId v : graph.inputs()) copy[v] = b.input(graph.name(v), plain(v));
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const ValueId v(i);
    if (copy[v].valid()) continue;
    const bool changes_nothing =
        graph.def(v).moves == ir::Moves::kReshapes && plain(v) == plain(graph.operands(v)[0]);
    copy[v] = changes_nothing ? copy[graph.operands(v)[0]] : copy.add(v);
  }
  return ir::prune(b.finish(copy.outputs()));
}

}  // namespace isomer::formats
