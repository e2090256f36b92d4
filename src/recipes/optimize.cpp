#include "recipes/optimize.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "formats/onnx.h"
#include "formats/onnx_external.h"
#include "ir/op_table.h"
#include "recipes/agreement.h"
#include "recipes/candidates.h"
#include "recipes/check_files.h"
#include "recipes/check_options.h"
#include "recipes/choices.h"
#include "recipes/cost_choice.h"
#include "recipes/load.h"
#include "recipes/pricing.h"
#include "recipes/program_size.h"
#include "recipes/refusals.h"
#include "recipes/rewriting.h"
#include "recipes/rule_choice.h"
#include "recipes/searching_on.h"
#include "recipes/sizes.h"
#include "recipes/spine.h"
#include "recipes/staged_program.h"
#include "recipes/time_budget.h"
#include "recipes/trial.h"
#include "recipes/verification.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

/// Each candidate lies on disk, and its folded weights in memory, until one is chosen.
size_t most_candidates(const OptimizeOptions& options, const OptimizeResult& result) {
  constexpr uint64_t kLarge = uint64_t{256} << 20;  // each candidate is written and loaded
  if (options.no_measure || options.dry_run || result.weight_bytes_before > kVeryLarge) return 1;
  return result.weight_bytes_before > kLarge ? 2 : 5;
}

/// Of the time for searching that is left, so that extracting has some too, and in seconds.
constexpr double kPriceShare = 0.7, kPriceSeconds = 60;

PricingReport price(Rewriting& rewriting, runtime::MeasuredCost& model, const TimeBudget& time,
                    ProgressSink& progress, RunRecord& record) {
  const Deadline until = time.search().part(kPriceShare, kPriceSeconds);
  PricingReport report = price_lazily(rewriting, model, until, progress);
  record.count("price.rounds", report.rounds);
  record.count("price.measured", static_cast<double>(report.measured));
  record.numbers["price.known"] = static_cast<double>(model.count().known);
  record.numbers["price.refused"] = static_cast<double>(model.count().refused);
  return report;
}

/// Said where costs are not those of the model's name.
void say_guessed(const PricingReport& report, OptimizeResult& result) {
  if (report.stop_reason == StopReason::kTimeLimit)
    result.warnings.push_back("no time was left to measure all costs: the rest is guessed");
  if (report.stop_reason == StopReason::kInterrupted)
    result.warnings.push_back("interrupted before all costs were measured: the rest is guessed");
}

/// Why nothing is searched beyond saturation; empty where something is.
std::string no_search(const OptimizeOptions& options, SearchKind kind, const Growth& growth) {
  if (options.no_rewrite) return "--no-rewrite";
  if (kind == SearchKind::kSaturation) return "--search saturation";
  return kind == SearchKind::kPortfolio && growth.saturated() ? "saturation came to its end" : "";
}

void fill_growth(const Growth& growth, OptimizeResult& result) {
  result.e_nodes = growth.e_nodes;
  result.e_classes = growth.e_classes;
  result.iterations = growth.iterations;
  result.stop_reason = to_string(growth.stop_reason);
}

std::vector<std::string> models_of(const std::vector<Entrant>& entrants) {
  std::vector<std::string> models;
  for (const Entrant& e : entrants) models.push_back(e.staged.model());
  return models;
}

void fill_before(const ProgramSize& size, OptimizeResult& result) {
  result.nodes_before = size.operators;
  result.macs_before = size.macs;
  result.weight_bytes_before = size.weight_bytes;
}

void fill_after(const ProgramSize& size, OptimizeResult& result) {
  result.nodes_after = size.operators;
  result.macs_after = size.macs;
  result.weight_bytes_after = size.weight_bytes;
}

void require_known(const OptimizeOptions& options) {
  if (options.search_at_once < 1 || options.search_at_once > 1024)
    throw UsageError(fmt::format("--search-at-once {}: expected 1 to 1024", options.search_at_once));
  search_kind(options.search);
  for_onnxruntime(options.target);
  float_promise(options.float_promise);
}

Limits search_limits(const OptimizeOptions& options, const StopToken& stop) {
  Limits limits;
  limits.seconds = seconds_of(options.time_limit);
  if (options.memory_limit > 0) limits.memory_bytes = options.memory_limit;
  limits.nodes = options.node_limit;
  limits.iterations = options.iterations;
  limits.stop = stop;
  return limits;
}

/// What a run works on; still there when it fails.
struct Work {
  ir::Context ctx{ir::standard_ops()};
  std::optional<Program> program;
  CostChoice costs;
  std::unique_ptr<Rewriting> rewriting;
  Chosen chosen;
};

}  // namespace

std::string default_output(const std::string& input) {
  const std::string stem = input.ends_with(".onnx") ? input.substr(0, input.size() - 5) : input;
  return stem + ".isomer.onnx";
}

namespace {

/// Ends with the result complete and, but for a dry run, written; or with a rule that does not suit.
void run(const OptimizeOptions& options, const StopToken& stop, TimeBudget& time, Spine& spine, Work& work,
         OptimizeResult& result) {
  using Step = TimeBudget::Step;
  ProgressSink& progress = spine.progress();
  RunRecord& record = spine.record();
  std::optional<Program>& program = work.program;
  CostChoice& costs = work.costs;
  std::unique_ptr<Rewriting>& rewriting = work.rewriting;
  spine.step("read", "", [&] {
    if (std::filesystem::path(options.input).extension() != ".onnx")
      throw UsageError("optimize takes an ONNX model (.onnx), not " + options.input);
    program = load_program(work.ctx, options.input, parse_dims(options.dims), for_onnxruntime(options.target),
                           time.search());
    result.warnings = program->notes;
    result.types_inferred = program->types_inferred;
    fill_before(size_of(program->graph), result);
    time.allow_for(result.weight_bytes_before);
    return fmt::format("{} operators", result.nodes_before);
  });
  const std::vector<std::string> weight_files = formats::data_files(*program->envelope);
  check_files(options, weight_files);
  check_inputs(options.inputs, std::array<const Program*, 1>{&*program}, time.search());
  ProgramSizes sizes;
  spine.step("size", "", [&] {
    sizes = size_program(*program, options, time.search(), progress);
    result.sizes = sizes.chosen.first;
    if (result.sizes.empty()) return std::string("every dimension is fixed");
    result.macs_before = sizes.first.macs;
    if (!sizes.chosen.runs && !sizes.chosen.refusal.empty())
      result.warnings.push_back(
          fmt::format("the runtime runs the model at none of the sizes that were tried ({} sets): {}",
                      sizes.chosen.tries, sizes.chosen.refusal));
    return sizes.text();
  });
  const ir::Graph& original = program->graph;
  const std::string no_rewrite = options.no_rewrite ? "--no-rewrite" : "";

  const auto fresh = [&] {
    return std::make_unique<Rewriting>(original, options, spine, program->dialect());
  };
  double explore_seconds = 0;
  Growth growth;
  spine.step("explore", no_rewrite, [&] {
    const double started = wall_seconds();
    rewriting = fresh();
    result.rules_used = rewriting->rules_used();
    result.rules_left_out = rewriting->rules_left_out();
    growth = rewriting->explore();
    fill_growth(growth, result);
    rewriting->file_growth();
    explore_seconds = wall_seconds() - started;
    return result.stop_reason;
  });
  spine.step("price", no_rewrite, [&] {
    costs = choose_cost(options.cost, options.threads, program->dialect(), result.weight_bytes_before,
                        time.search(), progress, sizes.first.symbols);
    result.cost_model = costs.model->name();
    if (!costs.note.empty()) result.warnings.push_back(costs.note);
    std::string outcome;
    if (costs.measured) {
      const PricingReport report = price(*rewriting, *costs.measured, time, progress, record);
      say_guessed(report, result);
      outcome = fmt::format("{} known; {}", costs.measured->count().known, report.outcome());
    }
    result.cost_before = result.cost_after = cost::graph_cost(*costs.model, original);
    spine.improved("original", result.cost_before);
    return outcome;
  });
  std::optional<rewrite::TensorExtraction> best;
  const SearchKind kind = search_kind(options.search);
  spine.step("search", no_search(options, kind, growth), [&] {
    SearchingOn how{fresh, explore_seconds, kind == SearchKind::kMcts, {}, stop};
    if (costs.measured)
      how.price = [&](Rewriting& grown) {
        return price(grown, *costs.measured, time, progress, record).measured;
      };
    SearchedOn searched = search_on(rewriting, *costs.model, how, spine, growth);
    fill_growth(searched.growth, result);
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
    fill_after(found ? size_of(candidates[0].extraction.graph,
                               rewriting->plan_fold(candidates[0].extraction, result), sizes.first.symbols)
                     : size_of(original),
               result);
    if (!found) result.macs_after = result.macs_before;
    if (found) {
      result.cost_after = result.cost_candidate = candidates[0].cost;
      rewriting->choose(std::move(candidates[0].extraction), result);
      spine.step("explain", options.explain ? "" : "--dry-run",
                 [&] { return rewriting->explain(costs.model.get(), time.begin(Step::kExplain), result); });
    }
    return;
  }
  std::optional<Trial> trial;
  std::string no_runtime;
  try {
    const formats::OnnxNodes nodes = formats::list_onnx_nodes(options.input);
    TrialOptions trial_options{options.threads,
                               options.pairs,
                               options.seed,
                               options.inputs,
                               sizes.dims(),
                               result.weight_bytes_before,
                               tolerance_for(original, options.tolerance),
                               result.sizes.empty() ? input_bounds(original) : sizes.first.bounds,
                               choices_of(nodes),
                               {sizes.chosen.first},
                               sizes.second_dims(),
                               sizes.second.bounds,
                               random_outputs(nodes)};
    if (!sizes.chosen.second.empty()) trial_options.sizes.push_back(sizes.chosen.second);
    trial.emplace(trial_options, time.begin(Step::kMeasure), progress);
    result.runtime = trial->runtime();
  } catch (const MissingRuntimeError& missing) {
    no_runtime = missing.what();
    result.runtime = "none: " + no_runtime;
  }

  std::vector<Entrant> entrants;
  spine.step("stage", found ? "" : "nothing was found", [&] {
    entrants = enter(*rewriting, std::move(candidates), *program, time.begin(Step::kFold), result);
    return entrants.empty() ? result.decision : "";
  });
  size_t first = 0;
  work.chosen.changed = !entrants.empty();
  const std::string untimed = options.no_measure ? "--no-measure" : no_runtime;
  spine.step("measure", entrants.empty() ? "nothing to measure" : untimed, [&] {
    // Who interrupted the search still wants to see what was found timed.
    const Deadline until = time.begin(Step::kMeasure);
    std::string why;
    bool& changed = work.chosen.changed;
    const auto time_them = [&] {
      first = trial->fastest(options.input, models_of(entrants), until, record.texts["screening"] = {});
      changed = trial->faster(options.input, entrants[first].staged.model(), until, result, why);
    };
    time_them();
    // One that the runtime refuses spoils the timing of all: the others are timed without it.
    if (trial->failed() && drop_refused(*trial, options.input, entrants, until, result)) {
      changed = false;
      why = "not timed: the runtime takes nothing that was made of it (see the warnings)";
      if (!entrants.empty()) time_them();
    }
    result.decision = (changed ? "the optimised program, " : "the original program: ") + why;
    return why;
  });
  if (!entrants.empty()) {
    result.cost_candidate = entrants[first].candidate.cost;
    record.texts["candidate"] = entrants[first].candidate.how;
    rewriting->choose(std::move(entrants[first].candidate.extraction), result);
    if (!untimed.empty()) {
      work.chosen.changed = result.cost_candidate < result.cost_before;
      result.decision = work.chosen.changed ? "the optimised program, by its cost alone (" + untimed + ")"
                                            : "the original program: no cheaper one was found";
    }
  }
  if (result.decision.empty()) result.decision = "the original program (--no-rewrite)";
  if (work.chosen.changed)
    work.chosen.written = std::move(entrants[first].staged);
  else if (!entrants.empty())
    work.chosen.rejected = std::move(entrants[first].staged.graph);
  entrants.clear();
  spine.step("explain", found ? "" : "nothing was found",
             [&] { return rewriting->explain(costs.model.get(), time.begin(Step::kExplain), result); });
  spine.step("verify", "", [&] {
    work.chosen.candidate = record.texts["candidate"];
    return verify(*program, rewriting.get(), trial ? &*trial : nullptr, time.begin(Step::kVerify),
                  work.chosen, result);
  });
  if (work.chosen.unsuited) return;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    record.numbers["peak_bytes_before_writing"] = 1024.0 * static_cast<double>(usage.ru_maxrss);
  spine.step("write", "", [&] {
    work.chosen.written->place->publish(weight_files);
    return "";
  });
  result.changed = work.chosen.changed;
  fill_after(size_of(work.chosen.written->graph), result);
  if (!result.sizes.empty())
    result.macs_after =
        result.changed ? sizes.multiply_adds_of(result.output, work.chosen.written->graph, program->contrib)
                       : result.macs_before;
  if (result.changed)
    result.cost_after = result.cost_candidate;
  else
    result.latency_after_ms = result.latency_before_ms;
}

/// What holds in exact arithmetic may not on a model's numbers: (x + 1e25) - 1e25 is not x. Such a rule is
/// left out, and all is done again in what is left of the time; after so many of them the original is
/// written.
void run_with_what_suits(OptimizeOptions options, const StopToken& stop, TimeBudget& time, Spine& spine,
                         std::optional<Work>& work, OptimizeResult& result) {
  constexpr size_t kMostUnsuited = 4;
  const OptimizeResult fresh = result;
  std::vector<UnsuitedRule> unsuited;
  while (true) {
    run(options, stop, time, spine, work.emplace(), result);
    if (!work->chosen.unsuited) break;
    unsuited.push_back(*work->chosen.unsuited);
    const std::string& rule = unsuited.back().rule;
    options.no_rewrite |= unsuited.size() == kMostUnsuited || !work->rewriting->has_rule(rule);
    options.disable_rules.push_back(rule);
    result = fresh;
    spine.record().chain.clear();
    spine.record().rules_applied.clear();
  }
  if (unsuited.empty()) return;
  for (const UnsuitedRule& u : unsuited) {
    for (auto& [why, rules] : result.rules_left_out) std::erase(rules, u.rule);
    result.rules_left_out["not on this model's numbers"].push_back(u.rule);
    result.warnings.push_back(
        "a rule that holds in exact arithmetic was left out, since it does not on this model's numbers: " +
        u.why);
  }
  std::erase_if(result.rules_left_out, [](const auto& entry) { return entry.second.empty(); });
  if (options.no_rewrite)
    result.decision = "the original program: rules do not suit its numbers (see the warnings)";
}

}  // namespace

OptimizeResult optimize(const OptimizeOptions& options, const StopToken& stop, ProgressSink& progress,
                        RunRecord& record, const ProgramsSink& finished, const Clock& clock) {
  check_options(options);
  require_known(options);
  check_files(options);
  TimeBudget time(options.time_limit, options.dry_run, stop, clock);
  Spine spine(record, progress, search_limits(options, stop), time.search());
  std::optional<Work> work;
  OptimizeResult result;
  result.input = options.input;
  result.output = options.output.empty() ? default_output(options.input) : options.output;
  result.cost_model = options.cost;
  result.float_promise = options.float_promise;
  const auto report = [&](const ir::Graph* found) {
    result.interrupted = spine.interrupted();
    result.seconds = time.elapsed();
    if (finished && work && work->program)
      finished(result,
               {work->program->graph, found, work->costs.model.get(), time.begin(TimeBudget::Step::kReport)});
  };
  try {
    run_with_what_suits(options, stop, time, spine, work, result);
  } catch (const VerificationError& wrong) {
    // Reported as well: which step, where, and what was to be written.
    result.verified = result.changed = false;
    result.verification = result.failure = wrong.what();
    result.decision = "nothing: verification failed";
    const bool any = work && work->chosen.changed && work->chosen.written;
    report(any ? &work->chosen.written->graph : nullptr);
    throw;
  }
  const Chosen& chosen = work->chosen;
  const ir::Graph* rejected = chosen.rejected ? &*chosen.rejected : nullptr;
  report(result.changed ? &chosen.written->graph : rejected);
  return result;
}

}  // namespace isomer::recipes
