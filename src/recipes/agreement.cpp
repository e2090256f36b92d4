#include "recipes/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "verify/input_ranges.h"

namespace isomer::recipes {

std::map<std::string, runtime::Bounds> input_bounds(const ir::Graph& graph) {
  std::map<std::string, runtime::Bounds> out;
  const std::vector<verify::InputRange> ranges = verify::infer_input_ranges(graph);
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].known())
      out[graph.name(graph.inputs()[i])] = {ranges[i].low, ranges[i].high, ranges[i].values};
  return out;
}

namespace {

double tolerance_of(const ir::Graph& graph, const std::vector<bool>& counted, double tolerance) {
  double widest = 0;  // of the types that are computed in
  for (size_t i = 0; i < graph.size(); ++i) {
    if (!counted[i]) continue;
    const ir::Type& type = graph.type(ir::ValueId(i));
    if (type.is_tensor()) widest = std::max(widest, ir::row(type.dtype).tolerance);
  }
  const double single = ir::row(ir::DType::kF32).tolerance;
  return widest == 0       ? tolerance
         : widest > single ? std::max(tolerance, widest)
                           : tolerance * (widest / single);
}

}  // namespace

double tolerance_for(const ir::Graph& graph, double tolerance) {
  return tolerance_of(graph, std::vector<bool>(graph.size(), true), tolerance);
}

std::vector<double> tolerances_for(const ir::Graph& graph, double tolerance) {
  std::vector<double> out;
  for (const ir::ValueId output : graph.outputs()) {
    std::vector<bool> counted(graph.size());
    std::vector<ir::ValueId> stack = {output};
    while (!stack.empty()) {
      const ir::ValueId v = stack.back();
      stack.pop_back();
      if (counted[v.index()]) continue;
      counted[v.index()] = true;
      for (const ir::ValueId o : graph.operands(v)) stack.push_back(o);
    }
    out.push_back(tolerance_of(graph, counted, tolerance));
  }
  return out;
}

std::vector<runtime::Choice> choices_of(const formats::OnnxNodes& model) {
  std::unordered_map<std::string, std::pair<const formats::OnnxNode*, size_t>> makers;
  for (const formats::OnnxNode& node : model.nodes)
    for (size_t o = 0; o < node.outputs.size(); ++o) makers[node.outputs[o]] = {&node, o};
  const auto is_inner = [&](const std::string& name) {
    return makers.contains(name) && std::ranges::find(model.outputs, name) == model.outputs.end();
  };
  std::vector<runtime::Choice> out;
  for (size_t o = 0; o < model.outputs.size(); ++o) {
    auto it = makers.find(model.outputs[o]);
    while (it != makers.end() && formats::hands_on(*it->second.first))
      it = makers.find(it->second.first->inputs.at(0));
    if (it == makers.end()) continue;
    const auto& [node, number] = it->second;
    const formats::Places places = formats::places_in(*node, number);
    const bool most = places == formats::Places::kOfOne, top = places == formats::Places::kOfSeveral;
    if (places == formats::Places::kNone || !makers.contains(node->inputs.at(0))) continue;
    const auto integer = [&](const char* name, int64_t fallback) {
      const auto found = node->integers.find(name);
      return found == node->integers.end() ? fallback : found->second;
    };
    const std::string& data = node->inputs[0];
    out.push_back(
        {o, data, is_inner(data), integer("axis", most ? 0 : -1), top || integer("keepdims", 1) != 0});
  }
  return out;
}

namespace {

bool is_share(const ir::Graph& graph, ir::ValueId v) {
  switch (graph.def(v).range_kind()) {
    case ir::RangeKind::kUnit: return true;
    case ir::RangeKind::kMove:
    case ir::RangeKind::kPart: return is_share(graph, graph.operands(v)[0]);
    case ir::RangeKind::kUnion:
      return std::ranges::all_of(graph.operands(v), [&](ir::ValueId o) { return is_share(graph, o); });
    default: return false;
  }
}

}  // namespace

OutputSet shares_of(const ir::Graph& graph) {
  OutputSet out;
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    if (is_share(graph, graph.outputs()[i])) out.insert(i);
  return out;
}

runtime::Comparison in_scale(runtime::Comparison comparison, const OutputSet& shares, double tolerance,
                             double much) {
  for (const size_t i : shares) {
    if (i >= comparison.outputs.size()) break;
    runtime::OutputDifference& o = comparison.outputs[i];
    if (o.max_abs_error <= kNextToNothing && o.max_relative_error <= much)
      o.max_relative_error = std::min(o.max_relative_error, tolerance);
  }
  return comparison;
}

namespace {

/// The operand of the Sigmoid that makes the output, if it is an inner value; else empty.
std::string operand_of_sigmoid(const formats::OnnxNodes& model, const std::string& output) {
  const formats::OnnxNode* sigmoid = nullptr;
  for (const formats::OnnxNode& node : model.nodes)
    if (node.op == "Sigmoid" && node.outputs.at(0) == output) sigmoid = &node;
  if (sigmoid == nullptr || std::ranges::count(model.outputs, sigmoid->inputs.at(0)) > 0) return {};
  const std::string& operand = sigmoid->inputs[0];
  const bool inner = std::ranges::any_of(model.nodes, [&](const formats::OnnxNode& node) {
    return std::ranges::count(node.outputs, operand) > 0;
  });
  return inner ? operand : std::string();
}

}  // namespace

std::map<size_t, std::pair<std::string, std::string>> operands_of_sigmoids(const formats::OnnxNodes& a,
                                                                           const formats::OnnxNodes& b) {
  std::map<size_t, std::pair<std::string, std::string>> out;
  for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i) {
    const std::string of_a = operand_of_sigmoid(a, a.outputs[i]), of_b = operand_of_sigmoid(b, b.outputs[i]);
    if (!of_a.empty() && !of_b.empty()) out.emplace(i, std::pair(of_a, of_b));
  }
  return out;
}

std::vector<size_t> apart_by_digits(const runtime::Comparison& seen, double tolerance) {
  std::vector<size_t> out;
  for (size_t i = 0; i < seen.outputs.size(); ++i)
    if (!seen.outputs[i].agrees(tolerance) && seen.outputs[i].max_abs_error <= kDigitsOfOne) out.push_back(i);
  return out;
}

runtime::Comparison by_operands(runtime::Comparison seen, const std::vector<size_t>& asked,
                                const runtime::Comparison& within, double tolerance) {
  const size_t first = seen.outputs.size();  // of the operands
  if (within.outputs.size() != first + asked.size()) return seen;
  for (size_t k = 0; k < asked.size(); ++k) {
    const runtime::OutputDifference& operand = within.outputs[first + k];
    if (operand.agrees(tolerance)) seen.outputs[asked[k]].max_relative_error = operand.max_relative_error;
  }
  return seen;
}

std::string describe_differences(const runtime::Comparison& comparison, double tolerance) {
  std::string out;
  for (const runtime::OutputDifference& d : comparison.outputs) {
    if (d.agrees(tolerance)) continue;
    const std::string how =
        d.is_float || d.exact_equal ? fmt::format("relative error {:.3g}", d.max_relative_error)
        : d.max_abs_error > 0       ? fmt::format("integers differ by up to {}", d.max_abs_error)
                                    : std::string("values differ");
    out += fmt::format("{}output {}: {}{}", out.empty() ? "" : "\n", d.name, how,
                       d.note.empty() ? "" : ", " + d.note);
  }
  return out;
}

}  // namespace isomer::recipes
