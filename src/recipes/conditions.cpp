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
Names decided_by_inputs(const formats::OnnxNodes& model, const ir::Graph& graph) {
  static const Names sizes_only = {"Shape", "Size", "ConstantOfShape", "EyeLike"};
  static const Names first_only = {"Expand", "Reshape"};
  Names out;  // old files list initializers among the inputs
  for (ir::ValueId input : graph.inputs()) out.insert(graph.name(input));
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

/// Of results of which the operators' declarations say less: squares, remainders, masked bits.
FloatRange further(const ir::Graph& graph, ir::ValueId v, const std::vector<FloatRange>& of) {
  const ir::OpDef& def = graph.def(v);
  const auto operands = graph.operands(v);
  if (operands.size() != 2 || !graph.type(v).is_tensor()) return {};
  const FloatRange &a = of[operands[0].index()], &b = of[operands[1].index()];
  if (def.range_kind() == ir::RangeKind::kMul && operands[0] == operands[1])
    return {0, std::numeric_limits<double>::infinity()};
  if (!ir::is_integer(graph.type(v).dtype)) return {};
  if (def.element == ir::ScalarOp::kAnd) {
    if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
    if (a.low >= 0) return {0, a.high};
    return b.low >= 0 ? FloatRange{0, b.high} : FloatRange();
  }
  if (def.name == "mod" && b.bounded() && b.most() >= 1) {
    const ir::AttrId fmod = graph.attrs(v)[0];
    const bool like_the_dividend = fmod.valid() && std::get<int64_t>(graph.context().get(fmod)) != 0;
    const FloatRange& sign = like_the_dividend ? a : b;
    return {sign.low >= 0 ? 0 : 1 - b.most(), sign.high <= 0 ? 0 : b.most() - 1};
  }
  return {};
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
    range = rewrite::meet(range, further(graph, v, of));
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

/// What one value has to be for conditions to be true: within a range, its ends included or not.
struct Within {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  bool open_low = false, open_high = false;

  void and_also(const Within& other) {
    if (other.low > low || (other.low == low && other.open_low)) low = other.low, open_low = other.open_low;
    if (other.high < high || (other.high == high && other.open_high))
      high = other.high, open_high = other.open_high;
  }
  bool nothing() const { return low > high || (low == high && (open_low || open_high)); }
};
using Demands = std::unordered_map<std::string, Within>;

/// Of a value against a constant.
Demands demands_of(const std::string& op, const std::string& a, const std::string& b, const FloatRange& of_a,
                   const FloatRange& of_b) {
  if (of_b.low != of_b.high) {
    if (of_a.low != of_a.high) return {};
    static const std::unordered_map<std::string, std::string> turned = {{"Less", "Greater"},
                                                                        {"Greater", "Less"},
                                                                        {"LessOrEqual", "GreaterOrEqual"},
                                                                        {"GreaterOrEqual", "LessOrEqual"}};
    const auto it = turned.find(op);
    return demands_of(it == turned.end() ? op : it->second, b, a, of_b, of_a);
  }
  Within out;
  if (op.starts_with("Greater") || op == "Equal") out.low = of_b.low, out.open_low = op == "Greater";
  if (op.starts_with("Less") || op == "Equal") out.high = of_b.low, out.open_high = op == "Less";
  return {{a, out}};
}

/// All of both; whether something meets them.
bool join(Demands& all, const Demands& more) {
  for (const auto& [value, within] : more) {
    all[value].and_also(within);
    if (all[value].nothing()) return false;
  }
  return true;
}

}  // namespace

std::vector<runtime::Condition> conditions_of(const std::string& path, const ir::Graph& graph) {
  const formats::OnnxNodes model = formats::list_onnx_nodes(path);
  const auto asks = [](const formats::OnnxNode& node) { return comparisons().contains(node.op); };
  if (std::ranges::none_of(model.nodes, asks)) return {};
  const Names varying = decided_by_inputs(model, graph), needed = needed_by_outputs(model);
  const Ranges ranges = ranges_of(graph);
  const auto range = [&](const std::string& name) {
    const auto it = ranges.find(name);
    return it == ranges.end() ? FloatRange() : it->second;
  };
  std::vector<runtime::Condition> out;
  std::unordered_map<std::string, std::pair<bool, bool>> known;
  std::unordered_map<std::string, Demands> demands;
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
      demands[name] =
          demands_of(node.op, node.inputs[0], node.inputs[1], range(node.inputs[0]), range(node.inputs[1]));
    } else {
      // Of bools that are no conditions nothing is known, and what joins only such is none either.
      const auto is_condition = [&](const std::string& x) { return known.contains(x); };
      if (std::ranges::none_of(node.inputs, is_condition)) continue;
      const auto all = [&](bool way) {
        return std::ranges::all_of(node.inputs, [&](const std::string& x) {
          return !known.contains(x) || (way ? known[x].first : known[x].second);
        });
      };
      if (node.op == "And") {
        can.first = all(true);
        for (const std::string& x : node.inputs)
          if (demands.contains(x)) can.first &= join(demands[name], demands[x]);
      }
      if (node.op == "Or") can.second = all(false);
      if (node.op == "Not") can = {known[node.inputs[0]].second, known[node.inputs[0]].first};
    }
    known[name] = can;
    out.push_back({name, node.op, node.inputs, can.first, can.second});
  }
  return out;
}

}  // namespace isomer::recipes
