#include "recipes/value_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "formats/onnx_opaque.h"
#include "formats/onnx_scan.h"

namespace isomer::recipes {
namespace {

using rewrite::FloatRange;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the type holds; unknown of floats, whose ends are infinities.
FloatRange of_type(const ir::Type& type) {
  if (!type.is_tensor() || !ir::is_integer(type.dtype)) return {};
  if (type.dtype == ir::DType::kBool) return {0, 1};
  const double most = std::ldexp(1, ir::value_bits(type.dtype));
  return {ir::has_sign(type.dtype) ? -most : 0, most - 1};
}

/// A cast cuts off, sums wrap: beyond the type it may be anything that the type holds.
FloatRange held(const FloatRange& range, const ir::Type& type) {
  const FloatRange all = of_type(type);
  if (all.bounded()) {
    const FloatRange whole{std::floor(range.low), std::ceil(range.high)};
    return whole.low >= all.low && whole.high <= all.high ? whole : all;
  }
  return std::isnan(range.low) || std::isnan(range.high) ? FloatRange() : range;
}

/// Operators that are looked at in bodies, of all rounds.
constexpr double kMostSteps = 1e5;

std::vector<FloatRange> ranges_of(const ir::Graph& graph, int64_t opset, std::span<const FloatRange> inputs,
                                  double& steps);

/// Of an opaque Scan's results; none where it is something else, not known how many rounds it has, or there
/// are no steps left.
std::vector<FloatRange> scanned(const ir::Graph& graph, ir::ValueId v, std::span<const FloatRange> of,
                                int64_t opset, double& steps) {
  if (!graph.def(v).is(ir::Core::kOpaque) || steps <= 0) return {};
  const formats::OpaqueView view = formats::view_opaque(graph, v);
  if (view.format != formats::kOpaqueNode || view.op != "Scan" || !view.captures.empty()) return {};
  const std::optional<formats::OnnxScan> scan = formats::read_scan(graph.context(), view.body, opset);
  const auto operands = graph.operands(v);
  if (!scan || operands.size() != scan->body.inputs().size() || operands.size() <= scan->states) return {};
  const ir::Type& along = graph.type(operands[scan->states]);
  if (!along.is_static_tensor() || along.shape.empty()) return {};
  const int64_t rounds = along.shape[0].size();
  if (rounds == 0) return {};
  steps -= static_cast<double>(rounds) * static_cast<double>(scan->body.size());
  if (steps < 0) return {};
  std::vector<FloatRange> now, out;
  for (const ir::ValueId x : operands) now.push_back(of[x.index()]);
  for (int64_t round = 0; round < rounds; ++round) {
    const std::vector<FloatRange> values = ranges_of(scan->body, opset, now, steps);
    for (size_t o = 0; o < scan->body.outputs().size(); ++o) {
      const FloatRange& range = values[scan->body.outputs()[o].index()];
      if (o < scan->states) now[o] = range;
      if (out.size() == o) out.push_back(range);
      const bool stacked = o >= scan->states;  // of all rounds; a state is what the last one leaves
      out[o] =
          stacked ? FloatRange{std::min(out[o].low, range.low), std::max(out[o].high, range.high)} : range;
    }
  }
  return out;
}

std::vector<FloatRange> ranges_of(const ir::Graph& graph, int64_t opset, std::span<const FloatRange> inputs,
                                  double& steps) {
  ir::Context& ctx = graph.context();
  rewrite::RangeRules rules(ctx.ops());
  std::vector<FloatRange> of(graph.size());
  std::unordered_map<size_t, std::vector<FloatRange>> scans;
  for (size_t i = 0; i < std::min(inputs.size(), graph.inputs().size()); ++i)
    of[graph.inputs()[i].index()] = inputs[i];
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const auto of_what = graph.operands(v);
    std::vector<rewrite::RangeRules::Operand> operands;
    for (const ir::ValueId x : of_what) operands.push_back({graph.type_id(x), of[x.index()]});
    FloatRange range = of[i];
    if (auto results = scanned(graph, v, of, opset, steps); results.size() == 1)
      range = results[0];
    else if (!results.empty())
      scans.emplace(i, std::move(results));
    if (graph.def(v).is(ir::Core::kGet) && scans.contains(of_what[0].index()))
      range =
          scans[of_what[0].index()].at(static_cast<size_t>(std::get<int64_t>(ctx.get(graph.attrs(v)[0]))));
    else if (!graph.def(v).is(ir::Core::kWeight))  // what a weight holds is not known
      range = rewrite::meet(range, rules.result(ctx, static_cast<uint32_t>(graph.op(v).index()),
                                                graph.attrs(v), operands, graph.type_id(v)));
    if (graph.def(v).range_kind() == ir::RangeKind::kMul && of_what[0] == of_what[1])  // a square
      range = rewrite::meet(range, {0, kInfinity});
    of[i] = held(range, graph.type(v));
  }
  return of;
}

}  // namespace

std::vector<FloatRange> value_ranges(const ir::Graph& graph, int64_t opset,
                                     std::span<const FloatRange> inputs) {
  double steps = kMostSteps;
  return ranges_of(graph, opset, inputs, steps);
}

}  // namespace isomer::recipes
