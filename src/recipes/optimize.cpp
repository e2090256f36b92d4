#include "recipes/optimize.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "cost/flops.h"
#include "formats/onnx.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "recipes/agreement.h"
#include "recipes/cost_choice.h"
#include "recipes/load.h"
#include "recipes/rewriting.h"
#include "recipes/spine.h"
#include "recipes/staging.h"
#include "recipes/trial.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

int64_t operators(const ir::Graph& graph) {
  int64_t n = 0;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::MeaningKind kind = graph.def(ir::ValueId(i)).kind;
    n += kind != ir::MeaningKind::kLeaf && kind != ir::MeaningKind::kTuple;
  }
  return n;
}

uint64_t weight_bytes(const ir::Graph& graph) {
  const ir::OpId constant = graph.context().ops().at("constant");
  uint64_t bytes = 0;
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.op(ir::ValueId(i)) == constant) {
      const auto id = std::get<int64_t>(graph.context().get(graph.attrs(ir::ValueId(i))[0]));
      bytes += graph.context().get(ir::ConstantId(static_cast<uint32_t>(id))).length;
    }
  return bytes;
}

int64_t macs(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.type(ir::ValueId(i)).is_tensor() && !graph.type(ir::ValueId(i)).is_static_tensor()) return -1;
  return std::llround(cost::work_of(graph).macs);
}

/// How often each operator occurs; opaque ones by what their format calls them.
std::map<std::string, size_t> census(const ir::Graph& graph) {
  std::map<std::string, size_t> count;
  const ir::OpId opaque = graph.context().ops().at("opaque");
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const std::string& name = graph.op(v) == opaque
                                  ? std::get<std::string>(graph.context().get(graph.attrs(v)[1]))
                                  : graph.def(v).name;
    if (graph.def(v).kind != ir::MeaningKind::kLeaf) ++count[name];
  }
  return count;
}

/// How the staged file reads back. Throws InputError when it does not read at all.
enum class ReadBack : uint8_t { kSameProgram, kSameOperators, kOther };
ReadBack read_back(ir::Context& ctx, const ir::Graph& graph, const std::string& path) {
  const formats::OnnxModel again = formats::read_onnx(ctx, path);
  if (ir::dag_hash(again.graph) == ir::dag_hash(graph)) return ReadBack::kSameProgram;
  // Names inside opaque bodies may change, and with them the hash.
  return census(again.graph) == census(graph) ? ReadBack::kSameOperators : ReadBack::kOther;
}

Trial::Agreement trial_agreement(std::optional<Trial>& trial, const OptimizeOptions& options,
                                 const std::string& staged, OptimizeResult& result) {
  return trial ? trial->compare(options.input, staged, result, result.verification)
               : Trial::Agreement::kCannotRun;
}

}  // namespace

std::string default_output(const std::string& input) {
  const std::string stem = input.ends_with(".onnx") ? input.substr(0, input.size() - 5) : input;
  return stem + ".isomer.onnx";
}

OptimizeResult optimize(const OptimizeOptions& options, const StopToken& stop, ProgressSink& progress,
                        RunRecord& record) {
  if (options.search != "saturation")
    throw UsageError("--search " + options.search + ": this version knows saturation");
  OptimizeResult result;
  result.input = options.input;
  result.output = options.output.empty() ? default_output(options.input) : options.output;
  result.cost_model = options.cost;

  Limits limits;
  limits.seconds = options.time_limit;
  if (options.memory_limit > 0) limits.memory_bytes = options.memory_limit;
  limits.nodes = options.node_limit;
  limits.iterations = options.iterations;
  limits.stop = stop;
  Spine spine(record, progress, limits);
  const double begin = wall_seconds();

  ir::Context ctx(ir::standard_ops());
  std::optional<Program> program;
  spine.step("read", "", [&] {
    if (std::filesystem::path(options.input).extension() != ".onnx")
      throw UsageError("optimize takes an ONNX model (.onnx), not " + options.input);
    program = load_program(ctx, options.input, parse_dims(options.dims));
    result.nodes_before = operators(program->graph);
    result.macs_before = macs(program->graph);
    result.weight_bytes_before = weight_bytes(program->graph);
    return fmt::format("{} operators", result.nodes_before);
  });
  const ir::Graph& original = program->graph;
  const std::string no_rewrite = options.no_rewrite ? "--no-rewrite" : "";

  std::unique_ptr<cost::CostModel> model;
  std::optional<Rewriting> rewriting;
  spine.step("explore", no_rewrite, [&] {
    rewriting.emplace(original, options, spine);
    rewriting->explore(result);
    return result.stop_reason;
  });
  spine.step("price", no_rewrite, [&] {
    model = choose_cost_model(options.cost, options.threads, stop, progress);
    result.cost_before = result.cost_after = cost::graph_cost(*model, original);
    spine.improved("original", result.cost_before);
    return "";
  });
  std::optional<ir::Graph> candidate;
  spine.step("extract", no_rewrite, [&] {
    candidate = rewriting->extract(*model, result);
    if (candidate)
      if (const std::string bad = formats::unspellable(*candidate, program->envelope->opset());
          !bad.empty()) {
        result.decision = "the original program: what was found cannot be written as ONNX: " + bad;
        candidate.reset();
      }
    if (candidate) spine.improved("extracted", result.cost_found);
    return candidate ? "" : result.decision;
  });

  const bool found = candidate.has_value();
  std::optional<Trial> trial;
  std::string no_runtime;
  try {
    TrialOptions trial_options{options.threads,
                               options.pairs,
                               options.seed,
                               options.inputs,
                               parse_dims(options.dims),
                               result.weight_bytes_before,
                               tolerance_for(original, options.tolerance),
                               input_bounds(original),
                               choices_of(formats::list_onnx_nodes(options.input))};
    trial.emplace(trial_options, StopToken(), progress);
    result.runtime = trial->runtime();
  } catch (const MissingRuntimeError& missing) {
    no_runtime = missing.what();
    result.runtime = "none: " + no_runtime;
  }

  std::optional<Staging> staging(std::in_place, result.output);
  ReadBack back = ReadBack::kOther;
  const ir::Graph* staged = nullptr;
  const auto stage = [&](const ir::Graph& graph) {
    formats::write_onnx(graph, *program->envelope, staging->model());
    ctx.release_constants();
    back = read_back(ctx, graph, staging->model());
    staged = &graph;
  };
  spine.step("measure",
             !candidate           ? "nothing to measure"
             : options.no_measure ? "--no-measure"
                                  : no_runtime,
             [&] {
               stage(*candidate);
               std::string why;
               const bool faster = trial->faster(options.input, staging->model(), result, why);
               result.decision = (faster ? "the optimised program, " : "the original program: ") + why;
               if (!faster) candidate.reset();
               return why;
             });
  spine.step("explain", rewriting && found ? "" : "nothing was found", [&] {
    // Measured costs are not asked for programs that nobody will run.
    const bool analytic = options.cost.starts_with("roofline") || options.cost == "ast-size";
    return rewriting->explain(analytic ? model.get() : nullptr, result);
  });
  if (candidate && result.decision.empty())
    result.decision = "the optimised program, by its cost alone (" +
                      (no_runtime.empty() ? "--no-measure" : no_runtime) + ")";
  if (!candidate && result.decision.empty()) result.decision = "the original program (--no-rewrite)";

  spine.step("verify", "", [&] {
    const ir::Graph& chosen = candidate ? *candidate : original;
    if (staged != &chosen) {  // a candidate that was timed lies there already
      staging.emplace(result.output);
      stage(chosen);
    }
    if (candidate) rewriting->check_rewrites(result);
    const Trial::Agreement agreement = trial_agreement(trial, options, staging->model(), result);
    if (agreement == Trial::Agreement::kDiffer)
      throw VerificationError(result.verification + "; nothing was written");
    if (agreement == Trial::Agreement::kCannotRun) {
      if (candidate)
        rewriting->check_whole(*candidate, result);
      else if (back == ReadBack::kOther)
        throw VerificationError("what was written reads back as another program; nothing was kept");
      else
        result.verification =
            back == ReadBack::kSameProgram
                ? "the written file reads back as the very program that was read"
                : "the written file reads back with the operators that were read; the runtime ran neither";
    }
    result.verified = true;
    return result.verification;
  });
  spine.step("write", "", [&] {
    staging->publish();
    return "";
  });

  const ir::Graph& written = candidate ? *candidate : original;
  result.changed = candidate.has_value();
  result.nodes_after = operators(written);
  result.macs_after = macs(written);
  result.weight_bytes_after = weight_bytes(written);
  if (candidate)
    result.cost_after = result.cost_found;
  else
    result.latency_after_ms = result.latency_before_ms;
  result.warnings.insert(result.warnings.end(), program->notes.begin(), program->notes.end());
  result.seconds = wall_seconds() - begin;
  return result;
}

}  // namespace isomer::recipes
