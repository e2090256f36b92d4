#include "recipes/optimize.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cost/flops.h"
#include "formats/onnx.h"
#include "ir/op_table.h"
#include "recipes/agreement.h"
#include "recipes/candidates.h"
#include "recipes/cost_choice.h"
#include "recipes/load.h"
#include "recipes/pricing.h"
#include "recipes/refusals.h"
#include "recipes/rewriting.h"
#include "recipes/searching_on.h"
#include "recipes/spine.h"
#include "recipes/staged_program.h"
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

int64_t macs(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.type(ir::ValueId(i)).is_tensor() && !graph.type(ir::ValueId(i)).is_static_tensor()) return -1;
  return std::llround(cost::work_of(graph).macs);
}

/// Each candidate lies on disk, and its folded weights in memory, until one is chosen.
size_t most_candidates(const OptimizeOptions& options, const OptimizeResult& result) {
  constexpr uint64_t kLarge = uint64_t{256} << 20;
  if (options.no_measure || options.dry_run) return 1;
  return result.weight_bytes_before > kLarge ? 2 : 5;
}

struct Priced {
  size_t measured = 0;
  std::string outcome;
};

Priced price(Rewriting& rewriting, runtime::MeasuredCost& model, const StopToken& stop,
             ProgressSink& progress, RunRecord& record) {
  const PricingReport report = price_lazily(rewriting, model, stop, progress);
  record.count("price.rounds", report.rounds);
  record.count("price.measured", static_cast<double>(report.measured));
  record.numbers["price.known"] = static_cast<double>(model.count().known);
  record.numbers["price.refused"] = static_cast<double>(model.count().refused);
  return {report.measured,
          fmt::format("{} operators measured now, {} known, in {} rounds{}", report.measured,
                      model.count().known, report.rounds, report.complete ? "" : "; the rest is guessed")};
}

/// Why nothing is searched beyond saturation; empty where something is.
std::string no_search(const OptimizeOptions& options, const OptimizeResult& result) {
  if (options.no_rewrite) return "--no-rewrite";
  if (options.search == "saturation") return "--search saturation";
  const bool complete = result.stop_reason == to_string(StopReason::kSaturated);
  return options.search == "portfolio" && complete ? "saturation came to its end" : "";
}

std::vector<std::string> models_of(const std::vector<Entrant>& entrants) {
  std::vector<std::string> models;
  for (const Entrant& e : entrants) models.push_back(e.staged.model());
  return models;
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
                        RunRecord& record, const ProgramsSink& finished) {
  if (options.search_at_once < 1 || options.search_at_once > 1024)
    throw UsageError(fmt::format("--search-at-once {}: expected 1 to 1024", options.search_at_once));
  if (options.search != "saturation" && options.search != "mcts" && options.search != "portfolio")
    throw UsageError("--search " + options.search + ": expected saturation, mcts or portfolio");
  if (options.target != "onnx" && options.target != "onnxruntime")
    throw UsageError("--target " + options.target + ": expected onnx or onnxruntime");
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
    program = load_program(ctx, options.input, parse_dims(options.dims), options.target == "onnxruntime");
    result.nodes_before = operators(program->graph);
    result.macs_before = macs(program->graph);
    result.weight_bytes_before = weight_bytes(program->graph);
    return fmt::format("{} operators", result.nodes_before);
  });
  // A place that cannot be written to is said now, not after the search.
  if (!options.dry_run) {
    const Staging tried{result.output};
  }
  const ir::Graph& original = program->graph;
  const std::string no_rewrite = options.no_rewrite ? "--no-rewrite" : "";

  // A run that ends because something is wrong is reported as well: which step, where, and what was to be
  // written.
  CostChoice costs;
  const ir::Graph* suspect = nullptr;
  const auto checked = [&](const auto& step) {
    try {
      step();
    } catch (const VerificationError& wrong) {
      result.verified = result.changed = false;
      result.verification = wrong.what();
      result.decision = "nothing: verification failed";
      result.seconds = wall_seconds() - begin;
      if (finished) finished(result, {original, suspect, costs.model.get()});
      throw;
    }
  };

  const auto fresh = [&] {
    return std::make_unique<Rewriting>(original, options, spine, program->dialect());
  };
  std::unique_ptr<Rewriting> rewriting;
  double explore_seconds = 0;
  spine.step("explore", no_rewrite, [&] {
    const double started = wall_seconds();
    rewriting = fresh();
    rewriting->explore(result);
    rewriting->file_growth();
    explore_seconds = wall_seconds() - started;
    return result.stop_reason;
  });
  spine.step("price", no_rewrite, [&] {
    costs = choose_cost(options.cost, options.threads, program->dialect(), result.weight_bytes_before, stop,
                        progress);
    result.cost_model = costs.model->name();
    if (!costs.note.empty()) result.warnings.push_back(costs.note);
    std::string outcome;
    if (costs.measured) outcome = price(*rewriting, *costs.measured, stop, progress, record).outcome;
    result.cost_before = result.cost_after = cost::graph_cost(*costs.model, original);
    spine.improved("original", result.cost_before);
    return outcome;
  });
  std::optional<rewrite::TensorExtraction> best;
  spine.step("search", no_search(options, result), [&] {
    SearchingOn how{fresh, explore_seconds, options.search == "mcts", {}, stop};
    if (costs.measured)
      how.price = [&](Rewriting& grown) {
        return price(grown, *costs.measured, stop, progress, record).measured;
      };
    SearchedOn searched = search_on(rewriting, *costs.model, how, spine, result);
    // Measuring goes on while e-graphs are grown.
    result.cost_before = result.cost_after = cost::graph_cost(*costs.model, original);
    record.texts["search"] = searched.of;
    best = std::move(searched.best);
    return searched.outcome;
  });
  std::vector<Candidate> candidates;
  spine.step("extract", no_rewrite, [&] {
    candidates =
        find_candidates(*rewriting, costs, most_candidates(options, result), std::move(best), result);
    if (candidates.empty()) return result.decision;
    spine.improved("extracted", result.cost_found);
    return fmt::format("{} candidates", candidates.size());
  });

  const bool found = !candidates.empty();
  if (options.dry_run) {
    result.decision = "nothing was written (--dry-run)";
    result.nodes_after = operators(found ? candidates[0].extraction.graph : original);
    if (found) result.cost_candidate = candidates[0].cost;
    result.seconds = wall_seconds() - begin;
    return result;
  }
  std::optional<Trial> trial;
  std::string no_runtime;
  try {
    const formats::OnnxNodes nodes = formats::list_onnx_nodes(options.input);
    TrialOptions trial_options{options.threads,
                               options.pairs,
                               options.seed,
                               options.inputs,
                               parse_dims(options.dims),
                               result.weight_bytes_before,
                               tolerance_for(original, options.tolerance),
                               input_bounds(original),
                               choices_of(nodes),
                               random_outputs(nodes)};
    // Who interrupted the search still wants to see what was found timed.
    trial.emplace(trial_options, stop.requested() ? StopToken() : stop, progress);
    result.runtime = trial->runtime();
  } catch (const MissingRuntimeError& missing) {
    no_runtime = missing.what();
    result.runtime = "none: " + no_runtime;
  }

  std::vector<Entrant> entrants;
  checked([&] {
    spine.step("stage", found ? "" : "nothing was found", [&] {
      entrants = enter(*rewriting, std::move(candidates), *program, result);
      return entrants.empty() ? result.decision : "";
    });
  });
  size_t first = 0;
  bool changed = !entrants.empty();
  const std::string untimed = options.no_measure ? "--no-measure" : no_runtime;
  spine.step("measure", entrants.empty() ? "nothing to measure" : untimed, [&] {
    std::string why;
    const auto time = [&] {
      first = trial->fastest(options.input, models_of(entrants), record.texts["screening"] = {});
      changed = trial->faster(options.input, entrants[first].staged.model(), result, why);
    };
    time();
    // One that the runtime refuses spoils the timing of all: the others are timed without it.
    if (trial->failed() && drop_refused(*trial, options.input, entrants, result)) {
      changed = false;
      why = "not timed: the runtime takes nothing that was made of it (see the warnings)";
      if (!entrants.empty()) time();
    }
    result.decision = (changed ? "the optimised program, " : "the original program: ") + why;
    return why;
  });
  if (!entrants.empty()) {
    result.cost_candidate = entrants[first].candidate.cost;
    record.texts["candidate"] = entrants[first].candidate.how;
    rewriting->choose(std::move(entrants[first].candidate.extraction), result);
    if (!untimed.empty()) {
      changed = result.cost_candidate < result.cost_before;
      result.decision = changed ? "the optimised program, by its cost alone (" + untimed + ")"
                                : "the original program: no cheaper one was found";
    }
  }
  if (result.decision.empty()) result.decision = "the original program (--no-rewrite)";
  std::optional<StagedProgram> written;
  std::optional<ir::Graph> rejected;
  if (changed)
    written = std::move(entrants[first].staged);
  else if (!entrants.empty())
    rejected = std::move(entrants[first].staged.graph);
  entrants.clear();
  spine.step("explain", found ? "" : "nothing was found",
             [&] { return rewriting->explain(costs.model.get(), result); });

  checked([&] {
    spine.step("verify", "", [&] {
      if (!written) written = stage(*program, original, result.output);
      if (changed) suspect = &written->graph;
      if (changed) rewriting->check_rewrites(result);
      result.verified = true;  // or nothing is written
      const auto keep_original = [&](const std::string& why) {
        result.decision = "the original program: " + why;
        suspect = nullptr;
        changed = false;
        rejected = std::move(written->graph);
        written.reset();
        written = stage(*program, original, result.output);
      };
      Trial::Agreement agreement = trial_agreement(trial, options, written->model(), result);
      if (agreement == Trial::Agreement::kRefused && changed) {
        file_refusal(refusal(record.texts["candidate"], written->model(), result.verification),
                     result.runtime, result);
        keep_original("the runtime does not take what was found (see the warnings)");
        agreement = trial_agreement(trial, options, written->model(), result);
      }
      if (agreement == Trial::Agreement::kRefused) {
        file_refusal(refusal(kOriginalAsWritten, written->model(), result.verification), result.runtime,
                     result);
        throw VerificationError(result.warnings.back() + "\nnothing was written");
      }
      if (agreement == Trial::Agreement::kDiffer) {
        const std::string disagreement = result.verification;
        const auto breaks = [&](const ir::Graph& graph) {
          const StagedProgram part = stage(*program, graph, result.output);
          std::string how;
          return trial->compare(options.input, part.model(), result, how) == Trial::Agreement::kDiffer;
        };
        throw VerificationError(disagreement + (changed ? "\n" + rewriting->blame(breaks) : "") +
                                "\nnothing was written");
      }
      const auto compared = [&] {
        return result.not_compared.empty() ? std::string() : std::exchange(result.verification, {}) + "; ";
      };
      if (std::string partly = compared(); agreement == Trial::Agreement::kCannotRun || !partly.empty()) {
        // The interpreter takes equal draws of random numbers for equal.
        if (changed && !rewriting->check_whole(written->graph, result)) {
          keep_original("what was found could not be compared with it: " + result.verification);
          if (trial_agreement(trial, options, written->model(), result) == Trial::Agreement::kAgree)
            partly = compared();
        }
        if (changed) return result.verification = partly + result.verification;
        if (!reads_back(*program, *written))
          throw VerificationError("what was written reads back as another program; nothing was kept");
        result.verification = partly + "the written file reads back as the very program that was read";
      }
      return result.verification;
    });
  });
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    record.numbers["peak_bytes_before_writing"] = 1024.0 * static_cast<double>(usage.ru_maxrss);
  spine.step("write", "", [&] {
    written->place->publish();
    return "";
  });

  result.changed = changed;
  result.nodes_after = operators(written->graph);
  result.macs_after = macs(written->graph);
  result.weight_bytes_after = weight_bytes(written->graph);
  if (changed)
    result.cost_after = result.cost_candidate;
  else
    result.latency_after_ms = result.latency_before_ms;
  result.warnings.insert(result.warnings.end(), program->notes.begin(), program->notes.end());
  result.seconds = wall_seconds() - begin;
  if (finished)
    finished(result, {original,
                      changed    ? &written->graph
                      : rejected ? &*rejected
                                 : nullptr,
                      costs.model.get()});
  return result;
}

}  // namespace isomer::recipes
