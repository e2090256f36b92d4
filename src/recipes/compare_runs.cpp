#include "recipes/compare_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "formats/onnx_nodes.h"
#include "formats/onnx_numbers.h"
#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "recipes/agreement.h"
#include "recipes/conditions.h"
#include "recipes/deciders.h"
#include "verify/draws.h"
#include "verify/only_casts.h"
#include "verify/pointwise.h"
#include "verify/preimages.h"
#include "verify/rounded.h"

namespace isomer::recipes {
namespace {

constexpr size_t kMostThresholds = 48, kMostIntegers = 48;
/// Beyond what the model itself takes; a worker's share of the machine. More than LATE of workers/effort.py,
/// after which it answers by itself.
constexpr double kGrace = 200;
/// Conditions are watched in a second copy of both models.
constexpr uint64_t kWatchedBytes = uint64_t{256} << 20;

/// Integer attributes and elements of small constants.
void collect_integers(const ir::Graph& graph, std::set<int64_t>& out) {
  constexpr int64_t kFew = 4;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const ir::Type& type = graph.type(v);
    if (graph.def(v).is(ir::Core::kConstant)) {
      if (!type.is_static_tensor() || !ir::is_integer(type.dtype) || ir::element_count(type.shape) > kFew)
        continue;
      for (int64_t e = 0; e < ir::element_count(type.shape); ++e)
        out.insert(ir::load_integer(type.dtype, ir::constant_of(graph, v).bytes(), e));
    }
  }
}

/// The smallest first: sizes are among them, and sentinels such as 2^63 - 1 are dealt out anyway.
std::vector<int64_t> integers_of(const RunsAsked& asked) {
  std::set<int64_t> all;
  for (const Program* program : {&asked.a, &asked.b}) collect_integers(program->graph, all);
  for (const std::string* path : {&asked.path_a, &asked.path_b}) {
    const formats::OnnxNumbers numbers = formats::list_onnx_numbers(*path);
    all.insert(numbers.integers.begin(), numbers.integers.end());
  }
  std::vector<int64_t> out;
  for (int64_t x : all)
    if (x < -1 || x > 1) out.push_back(x);
  std::ranges::sort(out, {}, [](int64_t x) { return x == INT64_MIN ? INT64_MAX : std::abs(x); });
  out.resize(std::min(out.size(), kMostIntegers));
  for (const int64_t x : verify::preimages(asked.a.graph, asked.b.graph))
    if (std::ranges::find(out, x) == out.end()) out.push_back(x);
  return out;
}

std::vector<double> thresholds_in(const RunsAsked& asked) {
  std::vector<double> out = verify::thresholds_of(asked.a.graph, asked.b.graph);
  for (const std::string* path : {&asked.path_a, &asked.path_b})
    for (double x : formats::list_onnx_numbers(*path).floats)
      if (std::isfinite(x) && x != 0 && out.size() < kMostThresholds &&
          std::ranges::find(out, x) == out.end())
        out.push_back(x);
  for (const Program* program : {&asked.a, &asked.b})
    for (const double x : verify::float_preimages(program->graph))
      if (std::ranges::find(out, x) == out.end()) out.push_back(x);
  return out;
}

/// Elements of a constant; nothing where one of them is no number that can be sent.
std::optional<runtime::StoredTensor> stored(const ir::Type& type, const ir::Constant& constant) {
  runtime::StoredTensor out;
  out.dtype = ir::name(type.dtype);
  for (int64_t e = 0; e < ir::element_count(type.shape); ++e) {
    if (ir::is_integer(type.dtype)) {
      out.integers.push_back(ir::load_integer(type.dtype, constant.bytes(), e));
    } else {
      out.numbers.push_back(ir::load_number(type.dtype, constant.bytes(), e));
      if (!std::isfinite(out.numbers.back())) return std::nullopt;
    }
  }
  return out;
}

/// Constants of both that have the type of an input and, where its size is known, as many elements.
std::vector<runtime::StoredTensor> stored_like_inputs(const RunsAsked& asked) {
  constexpr size_t kMost = 16;
  constexpr int64_t kMostElements = 4096;
  const ir::Graph& inputs_of = asked.a.graph;
  const auto like_an_input = [&](const ir::Type& type) {
    return std::ranges::any_of(inputs_of.inputs(), [&](ir::ValueId input) {
      const ir::Type& wanted = inputs_of.type(input);
      return wanted.is_tensor() && wanted.dtype == type.dtype &&
             (!wanted.is_static_tensor() || ir::element_count(wanted.shape) == ir::element_count(type.shape));
    });
  };
  std::vector<runtime::StoredTensor> out;
  for (const ir::Graph* graph : {&asked.a.graph, &asked.b.graph})
    for (size_t i = 0; i < graph->size() && out.size() < kMost; ++i) {
      const ir::ValueId v(i);
      const ir::Type& type = graph->type(v);
      if (!graph->def(v).is(ir::Core::kConstant) || !type.is_static_tensor() ||
          (!ir::is_integer(type.dtype) && !ir::is_float(type.dtype)))
        continue;
      const int64_t count = ir::element_count(type.shape);
      if (count < 2 || count > kMostElements || !like_an_input(type)) continue;
      if (auto tensor = stored(type, ir::constant_of(*graph, v))) out.push_back(std::move(*tensor));
    }
  return out;
}

/// None where there are many.
std::vector<std::string> inner_values(const std::string& path) {
  constexpr size_t kMost = 128;
  const formats::OnnxNodes model = formats::list_onnx_nodes(path);
  std::vector<std::string> out;
  for (const formats::OnnxNode& node : model.nodes)
    for (const std::string& name : node.outputs)
      if (std::ranges::find(model.outputs, name) == model.outputs.end()) out.push_back(name);
  return out.size() <= kMost ? out : std::vector<std::string>();
}

bool goes_round(const std::string& path) {
  return std::ranges::any_of(formats::list_onnx_nodes(path).nodes, formats::goes_round);
}

}  // namespace

std::vector<double> tolerances_of(const Program& a, const Program& b, double tolerance) {
  std::vector<double> out = tolerances_for(a.graph, tolerance);
  const std::vector<double> of_b = tolerances_for(b.graph, tolerance);
  for (size_t o = 0; o < std::min(of_b.size(), out.size()); ++o) out[o] = std::min(out[o], of_b[o]);
  return out;
}

runtime::OrFailure<runtime::TrialReport> run_both(runtime::OnnxRuntime& runtime, const RunsAsked& asked) {
  runtime::TrialRequest request;
  request.inputs = asked.inputs;
  request.load.optimisation = "off";
  request.sizes = asked.sizes;
  request.thresholds = thresholds_in(asked);
  request.integers = integers_of(asked);
  request.stored = stored_like_inputs(asked);
  for (const Decider& d : joined(deciders_of(asked.a.graph), deciders_of(asked.b.graph)))
    request.deciders[d.input] = d.values;
  request.pointwise = verify::is_pointwise(asked.a.graph) && verify::is_pointwise(asked.b.graph);
  // Of 16 bits the runtime may leave casts out; verify::when_rounded does not.
  const auto only_casts = [](const ir::Graph& graph) {
    return !verify::computes_in_16_bits(graph) && verify::only_casts_round(graph);
  };
  // What is infinite is meant to be where nothing but casts rounds.
  request.overflow_differs = asked.strict || (only_casts(asked.a.graph) && only_casts(asked.b.graph));
  request.skip.assign(asked.random.begin(), asked.random.end());
  request.shares = {{asked.shares.begin(), asked.shares.end()}, kNextToNothing};
  request.tolerance = asked.tolerance;
  request.tolerances = tolerances_of(asked.a, asked.b, asked.tolerance);
  request.seconds = asked.seconds;
  request.inner_a = inner_values(asked.path_a);
  request.inner_b = inner_values(asked.path_b);
  if (larger_weight_bytes(asked.a, asked.b) <= kWatchedBytes) {
    request.conditions_a = conditions_of(asked.path_a, asked.a.graph);
    request.conditions_b = conditions_of(asked.path_b, asked.b.graph);
    request.loops = goes_round(asked.path_a) || goes_round(asked.path_b);
    request.rounds_a = rounds_of(asked.path_a, asked.a.graph);
    request.rounds_b = rounds_of(asked.path_b, asked.b.graph);
  }
  request.witness = asked.witness;
  request.evaluated = asked.evaluated;
  runtime::Wait wait;
  wait.timeout_seconds = asked.seconds + kGrace;
  wait.stop = asked.stop;
  const auto attempt = [&] { return runtime::try_pair(runtime, asked.path_a, asked.path_b, request, wait); };
  auto outcome = attempt();
  const auto failed = [&](runtime::FailureKind how) { return !outcome && outcome.failure().kind == how; };
  if (failed(runtime::FailureKind::kCrashed)) {
    request.tame = true;  // the least integer divided by -1, a loop that eats all memory
    outcome = attempt();
  }
  if (failed(runtime::FailureKind::kCrashed)) {
    request.without_empty = true;  // a recurrence over no steps
    outcome = attempt();
  }
  if (failed(runtime::FailureKind::kRefused)) {
    request.evaluated = true;  // the runtime has no kernel for some operator
    request.tame = request.without_empty = false;
    if (auto evaluated = attempt()) return evaluated;
  }
  return outcome;
}

std::string say_tried(const runtime::TrialReport& report) {
  std::vector<std::string> ways, sizes;
  for (const auto& [way, count] : report.ways) ways.push_back(fmt::format("{} {}", count, way));
  constexpr size_t kMostShown = 6;
  for (size_t i = 0; i < std::min(report.sizes.size(), kMostShown); ++i)
    sizes.push_back(to_text(report.sizes[i]));
  std::string out = fmt::format("{} sets of inputs ({})", report.ran, fmt::join(ways, ", "));
  if (report.all_inputs > 0) out = fmt::format("all {} inputs, in {}", report.all_inputs, out);
  if (!sizes.empty()) out += fmt::format(" at {}", fmt::join(sizes, "; "));
  if (report.sizes.size() > kMostShown)
    out += fmt::format(" and {} further sizes", report.sizes.size() - kMostShown);
  return out;
}

std::string say_where(const runtime::TrialReport& report, const std::string& runtime) {
  if (!report.evaluated) return runtime;
  if (report.confirmed == 0) return kEvaluator;
  return fmt::format("{}, of whose operators {} bears {} out,", kEvaluator, runtime, report.confirmed);
}

std::string say_left_out(const runtime::TrialReport& report) {
  return report.tame ? "; without large integers, for the runtime's process ended" : "";
}

std::string say_unseen(const runtime::TrialReport& report, const RunsAsked& asked) {
  if (report.ran == 0) return "they ran on none of the inputs";
  for (size_t o = 0; o < report.outputs.size(); ++o) {
    if (asked.random.contains(o) || report.finite[o]) continue;
    // An output that is empty by its type holds nothing that could differ.
    const auto& outputs = asked.a.graph.outputs();
    if (o < outputs.size() && asked.a.graph.type(outputs[o]).is_static_tensor() &&
        ir::element_count(asked.a.graph.type(outputs[o]).shape) == 0)
      continue;
    return fmt::format("output {} {}", report.outputs[o],
                       report.empty[o] ? "never had an element" : "never had a finite element");
  }
  return {};
}

namespace {

std::string say_few_rounds(const runtime::TrialReport& report) {
  if (report.few_rounds.empty()) return {};
  const runtime::FewRounds& few = report.few_rounds.front();
  return fmt::format(
      "a loop of the {} model goes round as often as {} says: of {} numbers of rounds {} were run",
      few.in_first ? "first" : "second", few.name, few.of, few.seen);
}

/// Of conditions that sizes decide, or of the others.
std::string say_never(const runtime::TrialReport& report, bool of_sizes) {
  std::map<std::pair<std::string, bool>, std::pair<bool, bool>> models;  // of which model it is
  for (const runtime::UnmetCondition& c : report.unmet) {
    if (c.of_sizes != of_sizes) continue;
    auto& [first, second] = models[{c.name, c.never}];
    (c.in_first ? first : second) = true;
  }
  if (models.empty()) return {};
  std::vector<std::string> said;
  for (const auto& [what, of] : models)
    said.push_back(fmt::format("{} of {} {}", what.first,
                               of.first && of.second ? "both models"
                               : of.first            ? "the first model"
                                                     : "the second model",
                               what.second));
  constexpr size_t kMostShown = 4;
  const size_t count = said.size();
  said.resize(std::min(count, kMostShown));
  std::string out =
      fmt::format("{} was found that makes {}", of_sizes ? "no size" : "nothing", fmt::join(said, ", "));
  if (count > kMostShown) out += fmt::format(" and {} further conditions so", count - kMostShown);
  return out + "; what is guarded by it was not compared";
}

}  // namespace

std::string say_unmet(const runtime::TrialReport& report) {
  const std::string rounds = say_few_rounds(report), unmet = say_never(report, false);
  return unmet.empty() || rounds.empty() ? unmet + rounds : unmet + "; " + rounds;
}

std::string say_still(const runtime::TrialReport& report, const RunsAsked& asked) {
  if (report.all_inputs > 0 || std::ranges::none_of(report.still, std::identity())) return {};
  const auto of_a = decided_outputs(asked.path_a, asked.a.graph),
             of_b = decided_outputs(asked.path_b, asked.b.graph);
  for (size_t o = 0; o < report.outputs.size(); ++o)
    if (const std::string& name = report.outputs[o];
        report.still[o] && !asked.random.contains(o) && of_a.contains(name) && of_b.contains(name))
      return fmt::format("output {} was one value on all inputs", name);
  return {};
}

std::string say_unmet_sizes(const runtime::TrialReport& report) {
  const std::string never = say_never(report, true);
  if (!report.without_empty || report.sizes.empty()) return never;
  return "they were not compared at sizes of 0, where the runtime's process ends" +
         (never.empty() ? "" : "; " + never);
}

std::string say_difference(const runtime::TrialReport& report) {
  const runtime::TrialDifference& d = *report.found;
  std::string out = d.output >= 0
                        ? fmt::format("output {}: ", report.outputs.at(static_cast<size_t>(d.output)))
                        : std::string();
  switch (d.kind) {
    case runtime::DifferenceKind::kTypes: out += "other types: "; break;
    case runtime::DifferenceKind::kShapes: out += "other shapes: "; break;
    case runtime::DifferenceKind::kFinite: out += "finite on one side only: "; break;
    case runtime::DifferenceKind::kValues:
    case runtime::DifferenceKind::kError: break;
  }
  out += fmt::format("{} ({} inputs", d.what, d.way);
  if (!d.sizes.empty()) out += fmt::format(" at {}", to_text(d.sizes));
  return out + ")";
}

}  // namespace isomer::recipes
