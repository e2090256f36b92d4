#include "recipes/conditions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "formats/onnx_nodes.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "rewrite/float_range.h"

namespace isomer::recipes {
namespace {

using rewrite::FloatRange;
using Names = std::unordered_set<std::string>;
using Ranges = std::unordered_map<std::string, FloatRange>;

/// How many are followed.
constexpr size_t kMost = 256;

const Names& comparisons() {
  static const Names names = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"};
  return names;
}
const Names& connectives() {
  static const Names names = {"And", "Or", "Not"};
  return names;
}

/// What depends on the elements of an input. Of some operators only the first operand's elements count, of
/// others none: they look at sizes.
Names decided_by_inputs(const formats::OnnxNodes& model) {
  static const Names sizes_only = {"Shape", "Size", "ConstantOfShape", "EyeLike"};
  static const Names first_only = {"Expand", "Reshape"};
  Names out(model.inputs.begin(), model.inputs.end());
  for (const formats::OnnxNode& node : model.nodes) {
    if (sizes_only.contains(node.op) || node.random) continue;
    const size_t count =
        first_only.contains(node.op) ? std::min<size_t>(node.inputs.size(), 1) : node.inputs.size();
    const auto from_input = [&](const std::string& name) { return out.contains(name); };
    if (std::ranges::any_of(node.inputs | std::views::take(count), from_input))
      out.insert(node.outputs.begin(), node.outputs.end());
  }
  return out;
}

Names needed_by_outputs(const formats::OnnxNodes& model) {
  Names out(model.outputs.begin(), model.outputs.end());
  for (const formats::OnnxNode& node : model.nodes | std::views::reverse)
    if (std::ranges::any_of(node.outputs, [&](const std::string& name) { return out.contains(name); }))
      out.insert(node.inputs.begin(), node.inputs.end());
  return out;
}

/// What the type holds; unknown of floats, whose ends are infinities.
FloatRange of_type(const ir::Type& type) {
  if (!type.is_tensor() || !ir::is_integer(type.dtype)) return {};
  if (type.dtype == ir::DType::kBool) return {0, 1};
  const double most = std::ldexp(1, ir::value_bits(type.dtype));
  return {ir::has_sign(type.dtype) ? -most : 0, most - 1};
}

/// By the names of values.
Ranges ranges_of(const ir::Graph& graph) {
  ir::Context& ctx = graph.context();
  rewrite::RangeRules rules(ctx.ops());
  std::vector<FloatRange> of(graph.size());
  Ranges out;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    std::vector<rewrite::RangeRules::Operand> operands;
    for (ir::ValueId x : graph.operands(v)) operands.push_back({graph.type_id(x), of[x.index()]});
    const bool known = !graph.def(v).is(ir::Core::kWeight);  // what a weight holds is not
    FloatRange range = known ? rules.result(ctx, static_cast<uint32_t>(graph.op(v).index()), graph.attrs(v),
                                            operands, graph.type_id(v))
                             : FloatRange();
    const FloatRange all = of_type(graph.type(v));
    if (all.bounded()) {  // a cast cuts off, sums wrap
      range = {std::floor(range.low), std::ceil(range.high)};
      if (!(range.low >= all.low && range.high <= all.high)) range = all;
    }
    if (std::isnan(range.low) || std::isnan(range.high)) range = {};
    of[i] = range;
    if (!graph.name(v).empty()) out.emplace(graph.name(v), range);
  }
  return out;
}

/// Whether two numbers of these ranges may compare so, and whether they may not.
std::pair<bool, bool> may_be(const std::string& op, const FloatRange& a, const FloatRange& b) {
  if (op == "Equal")
    return {a.low <= b.high && b.low <= a.high, !(a.low == a.high && b.low == b.high && a.low == b.low)};
  if (op == "Less") return {a.low < b.high, a.high >= b.low};
  if (op == "LessOrEqual") return {a.low <= b.high, a.high > b.low};
  if (op == "Greater") return may_be("Less", b, a);
  return may_be("LessOrEqual", b, a);
}

}  // namespace

std::vector<runtime::Condition> conditions_of(const std::string& path, const ir::Graph& graph) {
  const formats::OnnxNodes model = formats::list_onnx_nodes(path);
  const auto asks = [](const formats::OnnxNode& node) { return comparisons().contains(node.op); };
  if (std::ranges::none_of(model.nodes, asks)) return {};
  const Names varying = decided_by_inputs(model), needed = needed_by_outputs(model);
  const Ranges ranges = ranges_of(graph);
  const auto range = [&](const std::string& name) {
    const auto it = ranges.find(name);
    return it == ranges.end() ? FloatRange() : it->second;
  };
  std::vector<runtime::Condition> out;
  std::unordered_map<std::string, std::pair<bool, bool>> known;
  for (const formats::OnnxNode& node : model.nodes) {
    const bool compares = asks(node);
    if ((!compares && !connectives().contains(node.op)) || node.outputs.size() != 1 || out.size() >= kMost)
      continue;
    const std::string& name = node.outputs[0];
    if (!varying.contains(name) || !needed.contains(name)) continue;
    if (compares && (node.inputs.size() != 2 || node.inputs[0] == node.inputs[1])) continue;
    std::pair<bool, bool> can{true, true};
    if (compares) {
      can = may_be(node.op, range(node.inputs[0]), range(node.inputs[1]));
    } else {
      // Of bools that are no conditions nothing is known, and what joins only such is none either.
      const auto is_condition = [&](const std::string& x) { return known.contains(x); };
      if (std::ranges::none_of(node.inputs, is_condition)) continue;
      const auto all = [&](bool way) {
        return std::ranges::all_of(node.inputs, [&](const std::string& x) {
          return !known.contains(x) || (way ? known[x].first : known[x].second);
        });
      };
      if (node.op == "And") can.first = all(true);
      if (node.op == "Or") can.second = all(false);
      if (node.op == "Not") can = {known[node.inputs[0]].second, known[node.inputs[0]].first};
    }
    known[name] = can;
    out.push_back({name, node.op, node.inputs, can.first, can.second});
  }
  return out;
}

}  // namespace isomer::recipes
