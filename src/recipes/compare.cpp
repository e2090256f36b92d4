#include "recipes/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "ir/op_table.h"
#include "ir/same_structure.h"
#include "recipes/agreement.h"
#include "recipes/check_files.h"
#include "recipes/check_options.h"
#include "recipes/load.h"
#include "recipes/sizes.h"
#include "recipes/unrepeatable.h"
#include "recipes/where_apart.h"
#include "runtime/onnxruntime.h"
#include "support/errors.h"
#include "verify/equivalence.h"
#include "verify/where.h"

namespace isomer::recipes {
namespace {

constexpr int kSamples = 3;
/// Programs of more weights are not evaluated by the interpreter when the runtime has already run them.
constexpr uint64_t kProofBytes = uint64_t{16} << 20;

/// Without a runtime: over the prime field, else on floats.
CompareResult in_the_interpreter(const ir::Graph& a, const ir::Graph& b, double tolerance, uint64_t seed) {
  verify::EquivalenceOptions options;
  options.seed = seed + 1;
  options.tolerance = options.rounded_tolerance = tolerance;
  const verify::Verdict verdict = verify::check_equivalent(a, b, options);
  CompareResult result;
  if (verdict.kind == verify::VerdictKind::kUnknown)
    throw Error(ExitStatus::kBadInput, "the interpreter cannot compare them: " + verdict.note);
  result.equivalent = verdict.equivalent();
  result.method = "in the interpreter: " + verify::summary(verdict);
  result.max_relative_error = verdict.max_relative_error;
  if (verdict.kind == verify::VerdictKind::kProved) result.error_probability = verdict.error_probability();
  if (verdict.equivalent()) return result;
  result.detail = verdict.counterexample;
  if (const auto place = verify::where_apart(a, b, options)) {
    const auto name = [](const ir::Graph& g, ir::ValueId v) {
      return g.name(v).empty() ? fmt::format("%{}", v.index()) : g.name(v);
    };
    result.first.value_a = name(a, place->in_a);
    result.first.value_b = name(b, place->in_b);
    result.first.operator_a = a.def(place->in_a).name;
    result.first.operator_b = b.def(place->in_b).name;
    result.first.error = place->error;
    for (ir::ValueId v : place->from) result.first.from.push_back(name(a, v));
  }
  return result;
}

/// Of programs of which some outputs were not compared by value, since they draw random numbers: the
/// interpreter takes equal draws of them. What it cannot judge is not said to be equivalent.
CompareResult judge_random(const ir::Graph& a, const ir::Graph& b, const verify::EquivalenceOptions& options,
                           CompareResult result) {
  const verify::Verdict verdict = verify::check_equivalent(a, b, options);
  if (verdict.kind == verify::VerdictKind::kUnknown)
    throw Error(ExitStatus::kBadInput,
                result.method + "; for equal draws the interpreter cannot compare them: " + verdict.note);
  result.equivalent = verdict.equivalent();
  result.method += "; for equal draws " + verify::summary(verdict);
  result.detail = verdict.counterexample;
  return result;
}

/// What callers name, in order; empty where it is the same. Programs of other formats have no names.
std::string interface_difference(const Program& a, const Program& b) {
  if (a.envelope == nullptr || b.envelope == nullptr) return {};
  const auto inputs = [](const ir::Graph& graph) {
    std::vector<std::string> names;
    for (const ir::ValueId v : graph.inputs()) names.push_back(graph.name(v));
    return names;
  };
  const auto compare = [](const char* what, const std::vector<std::string>& x,
                          const std::vector<std::string>& y) {
    return x == y ? std::string()
                  : fmt::format("{}: {} against {}", what, fmt::join(x, ", "), fmt::join(y, ", "));
  };
  const std::string of_inputs = compare("inputs", inputs(a.graph), inputs(b.graph));
  return of_inputs.empty() ? compare("outputs", a.envelope->output_names(), b.envelope->output_names())
                           : of_inputs;
}

/// Sizes that the other model's inputs have where those of `dynamic` have symbols.
Sizes sizes_of_the_other(const ir::Graph& dynamic, const ir::Graph& other) {
  Sizes out;
  for (ir::ValueId input : dynamic.inputs())
    for (ir::ValueId same : other.inputs()) {
      const ir::Type &a = dynamic.type(input), &b = other.type(same);
      if (dynamic.name(input) != other.name(same) || !a.is_ranked_tensor() || !b.is_ranked_tensor() ||
          a.shape.size() != b.shape.size())
        continue;
      for (size_t axis = 0; axis < a.shape.size(); ++axis)
        if (a.shape[axis].is_symbol() && b.shape[axis].is_static())
          out.emplace(dynamic.context().get(a.shape[axis].symbol()), b.shape[axis].size());
    }
  return out;
}

/// Sizes of the dynamic dimensions of a model and what its inputs may be there, for as many sets of sizes as
/// were found: none where everything is fixed.
std::vector<std::pair<Sizes, std::map<std::string, runtime::Bounds>>> sets_of_sizes(
    runtime::OnnxRuntime& runtime, const std::string& model, const Program& program, const SizeSearch& how) {
  const ChosenSizes chosen = choose_sizes(runtime, model, program.graph, how);
  std::vector<std::pair<Sizes, std::map<std::string, runtime::Bounds>>> out;
  for (const Sizes* sizes : {&chosen.first, &chosen.second})
    if (!sizes->empty())
      out.emplace_back(*sizes, at_sizes(model, program.graph, {}, *sizes, program.contrib).bounds);
  return out;
}

}  // namespace

CompareResult compare(const std::string& a, const std::string& b, const std::string& inputs, double tolerance,
                      uint64_t seed) {
  require_not_negative("--tolerance", tolerance);
  CompareResult result;
  ir::Context ctx(ir::standard_ops());
  const Program left = load_program(ctx, a), right = load_program(ctx, b);
  if (!inputs.empty() && (left.envelope == nullptr || right.envelope == nullptr))
    throw UsageError("--inputs: only for ONNX models, which a runtime can run");
  check_inputs(inputs, std::array{&left, &right});
  if (std::string difference = interface_difference(left, right); !difference.empty()) {
    result.method = "by their interfaces";
    result.detail = std::move(difference);
    return result;
  }
  if (ir::same_structure(left.graph, right.graph, ir::Identities::kRenamed)) {
    result.equivalent = true;
    result.method = "the same program: equal operators, attributes and constants";
    result.max_relative_error = 0;
    result.error_probability = 0;
    return result;
  }
  if (left.envelope == nullptr || right.envelope == nullptr)
    return in_the_interpreter(left.graph, right.graph, tolerance, seed);

  runtime::OnnxRuntime runtime;
  const runtime::RuntimeInfo info = runtime.info();
  runtime::InputSpec spec;
  spec.npz = inputs;
  spec.seed = seed;
  spec.bounds = input_bounds(right.graph);
  for (auto& [name, range] : input_bounds(left.graph)) spec.bounds[name] = range;
  const double allowed =
      std::max(tolerance_for(left.graph, tolerance), tolerance_for(right.graph, tolerance));
  runtime::LoadOptions load;
  load.optimisation = "basic";
  runtime::CompareExtras extras;
  const formats::OnnxNodes nodes = formats::list_onnx_nodes(a);
  extras.choices = choices_of(nodes);
  OutputSet random = random_outputs(nodes);
  random.merge(random_outputs(formats::list_onnx_nodes(b)));
  SizeSearch search;
  search.given = sizes_of_the_other(left.graph, right.graph);
  search.inputs = spec;
  search.load = load;
  const auto sets = sets_of_sizes(runtime, a, left, search);
  std::optional<runtime::Comparison> last;
  std::string where;
  int samples = 0;
  result.max_relative_error = 0;
  for (size_t set = 0; set < std::max<size_t>(sets.size(), 1); ++set) {
    if (set < sets.size()) {
      spec.dims = sets[set].first;
      for (const auto& [name, range] : sets[set].second) spec.bounds[name] = range;
      where += (set == 0 ? " at " : " and ") + to_text(spec.dims);
    }
    const auto outcome = runtime.compare(a, b, spec, set == 0 ? kSamples : 1, load, {}, extras);
    if (!outcome)
      throw Error(ExitStatus::kBadInput, "the runtime cannot compare them: " + outcome.failure().message);
    last = without_values(*outcome, random);
    samples += last->samples;
    result.max_relative_error = std::max(result.max_relative_error, last->max_relative_error());
    if (!last->agrees(allowed)) break;
  }
  result.equivalent = last->agrees(allowed);
  result.method = (random.empty() ? "" : say_not_compared(names_of(*last, random), {}) + "; the others ") +
                  fmt::format(
                      "tested in {} {} on {} sets of inputs{}, largest error {:.3g} of an output's "
                      "largest element",
                      info.runtime, info.version, samples, where, result.max_relative_error);
  if (result.equivalent) {
    verify::EquivalenceOptions options;
    if (!random.empty()) return judge_random(left.graph, right.graph, options, std::move(result));
    if (std::max(weight_bytes(left.graph), weight_bytes(right.graph)) > kProofBytes) return result;
    options.float_tests = 1;
    options.sample_budget = 100'000;
    if (const verify::Verdict v = verify::check_equivalent(left.graph, right.graph, options);
        v.kind == verify::VerdictKind::kProved) {
      result.method = verify::summary(v) + "; " + result.method;
      result.error_probability = v.error_probability();
    }
    return result;
  }
  result.detail = describe_differences(*last, allowed);
  Apart about{spec, kSamples, allowed, 0, load, extras.choices};
  while (about.output + 1 < last->outputs.size() && last->outputs[about.output].agrees(allowed))
    ++about.output;
  result.first = where_apart(runtime, a, b, &left.graph, &right.graph, about);
  if (result.first.value_a.empty() && !result.first.note.empty()) result.detail += "\n" + result.first.note;
  return result;
}

}  // namespace isomer::recipes
