#include "recipes/conditions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "eval/size_values.h"
#include "formats/onnx_nodes.h"
#include "ir/op_table.h"
#include "recipes/orders.h"
#include "recipes/residues.h"
#include "recipes/value_ranges.h"

namespace isomer::recipes {
namespace {

using ir::ScalarOp;
using rewrite::FloatRange;
using Names = std::unordered_set<std::string>;
using Ranges = std::unordered_map<std::string, FloatRange>;

/// How many are followed.
constexpr size_t kMost = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a node of two (kNot: one) operands asks, as its declaration says.
struct Question {
  ScalarOp what = ScalarOp::kConst;
  bool mirrored = false;  ///< of the second operand and the first

  bool compares() const {
    return what == ScalarOp::kEqual || what == ScalarOp::kLess || what == ScalarOp::kLessEqual;
  }
  bool joins() const { return what == ScalarOp::kAnd || what == ScalarOp::kOr || what == ScalarOp::kNot; }
};

/// Of operators that neither compare nor join (which are asked by what they are) something else, or nothing.
Question question_of(const std::string& op) {
  const ir::OpTable& ops = ir::standard_ops();
  for (const ir::OpTable::Spelled& spelled : ops.spelled("onnx", "", op)) {
    const ir::OpDef& def = ops.get(spelled.op);
    if (def.element) return {*def.element, false};
    if (def.mirrored) return {*def.mirrored, true};
  }
  return {};
}

/// Whether it asks a number whether it is other than 0, as what counts conditions does.
bool asks_number(const formats::OnnxNode& node, const ir::Graph& graph,
                 const std::unordered_map<std::string, ir::ValueId>& values) {
  if (node.op != "Cast" || node.inputs.size() != 1 || node.outputs.size() != 1) return false;
  const auto from = values.find(node.inputs[0]), to = values.find(node.outputs[0]);
  if (from == values.end() || to == values.end()) return false;
  const ir::Type &a = graph.type(from->second), &b = graph.type(to->second);
  if (!a.is_tensor() || !b.is_tensor() || b.dtype != ir::DType::kBool || a.dtype == b.dtype) return false;
  return ir::is_integer(a.dtype) || ir::is_float(a.dtype);
}

/// What hangs on inputs, of each node by so many of its first operands.
template <class Counted>
Names reached_from_inputs(const formats::OnnxNodes& model, const ir::Graph& graph, Counted counted) {
  Names out;  // old files list initializers among the inputs
  for (ir::ValueId input : graph.inputs()) out.insert(graph.name(input));
  const auto is_reached = [&](const std::string& name) { return out.contains(name); };
  for (const formats::OnnxNode& node : model.nodes)
    if (!node.random && std::ranges::any_of(node.inputs | std::views::take(counted(node)), is_reached))
      out.insert(node.outputs.begin(), node.outputs.end());
  return out;
}

/// Whose elements hang on the sizes of operands, or on a shape that is given, and on no elements of data.
bool asks_sizes(const std::string& op) {
  static const Names sizes_only = {"Shape", "Size", "ConstantOfShape", "EyeLike"};
  return sizes_only.contains(op);
}

/// Whose results, or what sums of them say, are sizes. A Scan goes round as often as a size says.
bool tells_sizes(const std::string& op) {
  static const Names sizes = {"Shape", "Size", "EyeLike", "Scan"};
  return sizes.contains(op);
}

/// By the elements of inputs, of some operators only of the first operand's.
Names decided_by_inputs(const formats::OnnxNodes& model, const ir::Graph& graph) {
  static const Names first_only = {"Expand", "Reshape"};
  return reached_from_inputs(model, graph, [](const formats::OnnxNode& node) -> size_t {
    if (asks_sizes(node.op)) return 0;
    return first_only.contains(node.op) ? 1 : node.inputs.size();
  });
}

/// At all: by their elements, or by their sizes.
Names from_inputs(const formats::OnnxNodes& model, const ir::Graph& graph) {
  return reached_from_inputs(model, graph, [](const formats::OnnxNode& node) { return node.inputs.size(); });
}

bool has_dynamic_sizes(const ir::Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [&](ir::ValueId input) {
    return graph.type(input).is_tensor() && !graph.type(input).is_static_tensor();
  });
}

Names needed_by_outputs(const formats::OnnxNodes& model) {
  Names out(model.outputs.begin(), model.outputs.end());
  for (const formats::OnnxNode& node : model.nodes | std::views::reverse)
    if (std::ranges::any_of(node.outputs, [&](const std::string& name) { return out.contains(name); }))
      out.insert(node.inputs.begin(), node.inputs.end());
  return out;
}

std::unordered_map<std::string, ir::ValueId> values_by_name(const ir::Graph& graph) {
  std::unordered_map<std::string, ir::ValueId> out;
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ir::ValueId v(i); !graph.name(v).empty()) out.emplace(graph.name(v), v);
  return out;
}

/// By the names of values.
Ranges ranges_of(const ir::Graph& graph, int64_t opset) {
  const std::vector<FloatRange> of = value_ranges(graph, opset);
  Ranges out;
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ir::ValueId v(i); !graph.name(v).empty()) out.emplace(graph.name(v), of[i]);
  return out;
}

/// Whether two numbers of these ranges may compare so, and whether they may not.
std::pair<bool, bool> may_be(Question q, const FloatRange& a, const FloatRange& b) {
  if (q.mirrored) return may_be({q.what, false}, b, a);
  if (q.what == ScalarOp::kLess) return {a.low < b.high, a.high >= b.low};
  if (q.what == ScalarOp::kLessEqual) return {a.low <= b.high, a.high > b.low};
  return {a.low <= b.high && b.low <= a.high, !(a.low == a.high && b.low == b.high && a.low == b.low)};
}

/// The same by how the operands are computed from one another, where both have a value in the graph.
std::pair<bool, bool> may_be(Question q, const ir::Graph& graph, ir::ValueId a, ir::ValueId b) {
  if (q.mirrored) return may_be({q.what, false}, graph, b, a);
  if (q.what == ScalarOp::kLess) return {!never_above(graph, b, a), true};
  if (q.what != ScalarOp::kEqual) return {true, true};
  const Equality equality = equality_of(graph, a, b);
  return {equality.possible, !equality.certain};
}

/// Whether a number of this range may be other than 0, and whether it may be 0.
std::pair<bool, bool> may_be_other_than_0(const ir::Graph& graph, ir::ValueId v, const FloatRange& range) {
  std::pair<bool, bool> out{range.low != 0 || range.high != 0, range.low <= 0 && range.high >= 0};
  if (!ir::is_integer(graph.type(v).dtype)) return out;
  const std::vector<bool> residues = possible_residues(graph, v);
  out.second &= residues[0];
  if (range.low >= 0 && range.high < static_cast<double>(residues.size()))
    out.first &= std::ranges::count(residues, true) > (residues[0] ? 1 : 0);
  return out;
}

/// Whether some element of a bool may be true, and some false, at some sizes.
std::pair<bool, bool> at_any_size(eval::SizeValues& sizes, ir::ValueId v) {
  const std::span<const eval::SizeElement> elements = sizes.of(v);
  std::pair<bool, bool> out{elements.empty(), elements.empty()};
  for (const eval::SizeElement& element : elements) {
    const std::optional<int64_t> known = eval::as_number(element);
    out.first |= known != 0;
    out.second |= known == 0 || !known;
  }
  return out;
}

/// What one value has to be for conditions to be true: within a range, its ends included or not.
struct Within {
  double low = -kInfinity, high = -low;
  bool open_low = false, open_high = false;

  void and_also(const Within& other) {
    if (other.low > low || (other.low == low && other.open_low)) low = other.low, open_low = other.open_low;
    if (other.high < high || (other.high == high && other.open_high))
      high = other.high, open_high = other.open_high;
  }
  bool nothing() const { return low > high || (low == high && (open_low || open_high)); }
};
using Demands = std::unordered_map<std::string, Within>;

/// Of a value against a constant, on either side.
Demands demands_of(Question q, const std::string& a, const std::string& b, const FloatRange& of_a,
                   const FloatRange& of_b) {
  if (q.mirrored) return demands_of({q.what, false}, b, a, of_b, of_a);
  const bool equal = q.what == ScalarOp::kEqual, open = q.what == ScalarOp::kLess;
  Within out;
  if (of_b.low == of_b.high) {  // a is below the constant, or it
    out.high = of_b.low, out.open_high = open;
    if (equal) out.low = of_b.low;
    return {{a, out}};
  }
  if (of_a.low != of_a.high) return {};
  out.low = of_a.low, out.open_low = open;
  if (equal) out.high = of_a.low;
  return {{b, out}};
}

/// All of both; whether something meets them.
bool join(Demands& all, const Demands& more) {
  for (const auto& [value, within] : more) {
    all[value].and_also(within);
    if (all[value].nothing()) return false;
  }
  return true;
}

/// How many numbers of rounds a value of this range and these residues can say; below 0 it is none.
int64_t numbers_within(const FloatRange& range, const std::vector<bool>& residues) {
  const auto modulus = static_cast<int64_t>(residues.size());
  const auto least = static_cast<int64_t>(std::max(std::ceil(range.low), 0.0)),
             most = static_cast<int64_t>(std::floor(range.high));
  int64_t out = 0;
  bool none = false;
  for (int64_t r = 0; r < modulus; ++r) {
    if (!residues[static_cast<size_t>(r)]) continue;
    const int64_t first = least + (((r - least) % modulus) + modulus) % modulus;
    none |= first == 0;
    if (first <= most) out += (most - first) / modulus + 1;
  }
  return out + (range.low < 0 && !none ? 1 : 0);
}

using MayBe = std::unordered_map<std::string, std::pair<bool, bool>>;  // conditions, true and false

/// Minima and maxima of conditions, as numbers: whether all of them hold, or any.
class Reductions {
 public:
  /// The node as one. `known`: the conditions before it.
  std::optional<runtime::Condition> taken_of(const formats::OnnxNode& node, const MayBe& known) {
    static const Names all_or_any = {"ReduceMin", "ReduceMax", "ReduceProd"};
    if (node.inputs.empty() || node.outputs.size() != 1) return {};
    const auto handed = stands_for_.find(node.inputs[0]);
    const auto of = known.find(handed == stands_for_.end() ? node.inputs[0] : handed->second);
    if (of == known.end()) return {};
    if (formats::hands_on(node)) stands_for_[node.outputs[0]] = of->first;
    if (!all_or_any.contains(node.op)) return {};
    return runtime::Condition{node.outputs[0],  node.op,           {of->first},
                              of->second.first, of->second.second, false};
  }

 private:
  std::unordered_map<std::string, std::string> stands_for_;  // what is handed on
};

}  // namespace

std::vector<runtime::Condition> conditions_of(const std::string& path, const ir::Graph& graph) {
  const formats::OnnxNodes model = formats::list_onnx_nodes(path);
  const auto values = values_by_name(graph);
  const auto asks = [&](const formats::OnnxNode& node) {
    return question_of(node.op).compares() || asks_number(node, graph, values);
  };
  if (std::ranges::none_of(model.nodes, asks)) return {};
  const Names varying = decided_by_inputs(model, graph), needed = needed_by_outputs(model);
  const Names reached = has_dynamic_sizes(graph) ? from_inputs(model, graph) : varying;
  eval::SizeValues sizes(graph);
  Ranges ranges = ranges_of(graph, model.opset);
  for (const formats::OnnxNode& node : model.nodes)
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (formats::places_in(node, i) != formats::Places::kNone)
        ranges[node.outputs[i]] = rewrite::meet(ranges[node.outputs[i]], {0, kInfinity});
  const auto range = [&](const std::string& name) {
    const auto it = ranges.find(name);
    return it == ranges.end() ? FloatRange() : it->second;
  };
  std::vector<runtime::Condition> out;
  MayBe known;
  Reductions reductions;
  std::unordered_map<std::string, Demands> demands;
  for (const formats::OnnxNode& node : model.nodes) {
    const Question question = question_of(node.op);
    const bool compares = question.compares(), asks_one = asks_number(node, graph, values);
    if (auto whole = reductions.taken_of(node, known); whole && out.size() < kMost)
      if (varying.contains(whole->name) && needed.contains(whole->name)) out.push_back(*std::move(whole));
    if ((!compares && !question.joins() && !asks_one) || node.outputs.size() != 1 || out.size() >= kMost)
      continue;
    const std::string& name = node.outputs[0];
    if (!reached.contains(name) || !needed.contains(name)) continue;
    if (compares && (node.inputs.size() != 2 || node.inputs[0] == node.inputs[1])) continue;
    std::pair<bool, bool> can{true, true};
    if (compares) {
      const auto a = values.find(node.inputs[0]), b = values.find(node.inputs[1]);
      can = may_be(question, range(node.inputs[0]), range(node.inputs[1]));
      if (a != values.end() && b != values.end()) {
        const auto [true_too, false_too] = may_be(question, graph, a->second, b->second);
        can.first &= true_too;
        can.second &= false_too;
      }
      demands[name] =
          demands_of(question, node.inputs[0], node.inputs[1], range(node.inputs[0]), range(node.inputs[1]));
    } else if (asks_one) {
      can = may_be_other_than_0(graph, values.at(node.inputs[0]), range(node.inputs[0]));
    } else {
      // Of bools that are no conditions nothing is known, and what joins only such is none either.
      const auto is_condition = [&](const std::string& x) { return known.contains(x); };
      if (std::ranges::none_of(node.inputs, is_condition)) continue;
      const auto all = [&](bool way) {
        return std::ranges::all_of(node.inputs, [&](const std::string& x) {
          return !known.contains(x) || (way ? known[x].first : known[x].second);
        });
      };
      if (question.what == ScalarOp::kAnd) {
        can.first = all(true);
        for (const std::string& x : node.inputs)
          if (demands.contains(x)) can.first &= join(demands[name], demands[x]);
      }
      if (question.what == ScalarOp::kOr) can.second = all(false);
      if (question.what == ScalarOp::kNot) can = {known[node.inputs[0]].second, known[node.inputs[0]].first};
    }
    const bool of_sizes = !varying.contains(name);
    if (const auto value = values.find(name); of_sizes && value != values.end()) {
      const auto [true_too, false_too] = at_any_size(sizes, value->second);
      can = {can.first && true_too, can.second && false_too};
    }
    known[name] = can;
    out.push_back({name, node.op, node.inputs, can.first, can.second, of_sizes});
  }
  return out;
}

std::set<std::string> decided_outputs(const std::string& path, const ir::Graph& graph) {
  const formats::OnnxNodes model = formats::list_onnx_nodes(path);
  const Names varying = decided_by_inputs(model, graph);
  std::set<std::string> out;
  for (const std::string& name : model.outputs)
    if (varying.contains(name)) out.insert(name);
  for (const runtime::Condition& c : conditions_of(path, graph))
    if (!c.can_be_true || !c.can_be_false) out.erase(c.name);
  return out;
}

std::vector<std::string> hidden_conditions_of_sizes(const std::string& path, const ir::Graph& graph) {
  if (!has_dynamic_sizes(graph)) return {};
  const formats::OnnxNodes model = formats::list_onnx_nodes(path);
  const Names varying = decided_by_inputs(model, graph), reached = from_inputs(model, graph);
  const Names needed = needed_by_outputs(model);
  const auto values = values_by_name(graph);
  const auto of_sizes = [&](const std::string& name) {
    return reached.contains(name) && !varying.contains(name);
  };
  const auto is_dynamic = [&](const std::string& name) {
    const auto value = values.find(name);
    return reached.contains(name) && (value == values.end() || !graph.type(value->second).is_static_tensor());
  };
  std::vector<std::string> out;
  for (const formats::OnnxNode& node : model.nodes) {
    const auto asks = [](const formats::OnnxInner& inner) {
      return inner.to_bool || question_of(inner.op).compares();
    };
    if (std::ranges::none_of(node.within, asks)) continue;
    const bool rounds_are_a_size = node.op == "Scan" && std::ranges::any_of(node.inputs, is_dynamic);
    if (!rounds_are_a_size && std::ranges::none_of(node.within, tells_sizes, &formats::OnnxInner::op) &&
        std::ranges::none_of(node.inputs, of_sizes))
      continue;
    const auto used = std::ranges::find_if(node.outputs, [&](const auto& o) { return needed.contains(o); });
    if (used != node.outputs.end()) out.push_back(*used);
  }
  return out;
}

std::vector<runtime::Rounds> rounds_of(const std::string& path, const ir::Graph& graph) {
  // What a type of 32 bits bounds is not bounded by the model.
  constexpr double kUnbounded = std::numeric_limits<int32_t>::max();
  const formats::OnnxNodes model = formats::list_onnx_nodes(path);
  if (std::ranges::none_of(model.nodes, formats::counts_rounds)) return {};
  const Names varying = decided_by_inputs(model, graph), needed = needed_by_outputs(model);
  const std::vector<FloatRange> ranges = value_ranges(graph, model.opset);
  const auto values = values_by_name(graph);
  std::vector<runtime::Rounds> out;
  for (const formats::OnnxNode& node : model.nodes) {
    if (!formats::counts_rounds(node) || out.size() >= kMost) continue;
    const std::string& count = node.inputs[0];
    const auto value = values.find(count);
    const bool matters = std::ranges::any_of(node.outputs, [&](const auto& x) { return needed.contains(x); });
    if (!matters || !varying.contains(count) || value == values.end()) continue;
    const FloatRange& range = ranges[value->second.index()];
    if (range.high <= 0 || range.high >= kUnbounded) continue;
    const int64_t of = numbers_within(range, possible_residues(graph, value->second));
    if (of > 1) out.push_back({count, of});
  }
  return out;
}

}  // namespace isomer::recipes
