#include "evaluation/mcts_bench_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "evaluation/cheapest_program.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/found_check.h"
#include "recipes/load.h"
#include "recipes/repeated_blocks.h"
#include "recipes/taso_language.h"
#include "recipes/tensat.h"
#include "search/annealing.h"
#include "search/beam.h"
#include "search/random_walks.h"

namespace isomer::evaluation {
namespace {

/// Other searches over the same problem, with the corrected cost function: the best state that each of them
/// met, extracted exactly.
MctsBenchRun run_other(const ir::Graph& graph, const rewrite::RuleSet& rules, Way way,
                       const std::string& cost, uint64_t seed, const MctsBenchOptions& options,
                       std::optional<ir::Graph>& program_found) {
  const double begin = thread_cpu_seconds();
  const std::unique_ptr<cost::CostModel> model = cost::make_cost_model(cost);
  problems::BuildEGraphOptions building;
  building.node_limit = building.node_multi = options.node_limit;
  building.extraction = problems::Extraction::kSharingCorrected;
  problems::BuildEGraph problem(graph, rules, *model, building);
  problems::BuildEGraph::State best = problem.initial();
  Limits limits;
  limits.seconds = options.final_seconds;
  limits.stop = options.stop;
  MctsBenchRun run;
  run.start_cost = extract::extract(problem.flat_problem(best), extract::Extractor::kAuto, limits).dag_cost;
  if (way == Way::kBeam) {
    const auto found = search::beam(problem, {.width = 8, .limits = limits});
    best = found.best;
    run.stop_reason = to_string(found.stop_reason);
  } else if (way == Way::kRandom) {
    Rng rng(seed);
    const auto found =
        search::random_walks(problem, {.steps = 20 * uint64_t{options.budget}, .limits = limits}, rng);
    best = found.best;
    run.stop_reason = to_string(found.stop_reason);
  } else {
    Rng rng(seed);
    const auto found =
        search::annealing(problem, {.steps = 20 * uint64_t{options.budget}, .limits = limits}, rng);
    best = found.best;
    run.stop_reason = to_string(found.stop_reason);
  }
  const double searched = thread_cpu_seconds();
  const extract::Extraction e =
      extract::extract(problem.flat_problem(best), extract::Extractor::kAuto, limits);
  run.cost = e.dag_cost;
  run.optimal = e.optimal;
  run.nodes = best.nodes;
  run.applications = problem.statistics().steps;
  run.search_seconds = searched - begin;
  run.final_seconds = thread_cpu_seconds() - searched;
  if (options.check) program_found = cheapest_program(graph, best.graph, *model, limits);
  return run;
}

recipes::MctsRunOptions options_of(const Approach& approach) {
  if (approach.way != Way::kTree) return recipes::mcts_plus();
  recipes::MctsRunOptions out;
  out.main = approach.main;
  out.final = approach.final;
  return out;
}

/// One run: the program, what is made of it, and what is kept and checked of that.
class OneRun {
 public:
  OneRun(const MctsBenchTask& task, const MctsBenchOptions& options)
      : task_(task),
        options_(options),
        approach_(approach_of(task.key.approach)),
        cost_("roofline:" + task.key.device),
        program_(recipes::load_program(ctx_, task.file, {})),
        graph_(recipes::in_taso_language(program_.graph)),
        rules_(mcts_rules(ctx_.ops(), options, task.key.model)) {}

  MctsBenchRun operator()() {
    if (approach_.grows_otherwise())
      by_other();
    else if (approach_.saturates())
      by_saturation();
    else
      by_tree_search();
    return std::move(run_);
  }

 private:
  void by_other() {
    std::optional<ir::Graph> found;
    run_ = run_other(graph_, rules_, approach_.way, cost_, task_.key.seed, options_, found);
    static_cast<MctsBenchKey&>(run_) = task_.key;
    if (found) check(graph_, *found);
  }

  void by_saturation() {
    static_cast<MctsBenchKey&>(run_) = task_.key;
    recipes::TensatOptions tensat;
    tensat.cost = cost_;
    const published::mcts::Model* published = published::mcts::whole_model(task_.key.model);
    tensat.k_multi = options_.k_multi > 0 ? options_.k_multi : published != nullptr ? published->k_multi : 1;
    tensat.node_limit = tensat.node_multi = options_.node_limit;
    tensat.iteration_limit = 10'000;
    if (approach_.way == Way::kLargerSaturation) {
      tensat.node_limit = 25 * options_.node_limit;
      tensat.node_multi = tensat.node_limit;
      tensat.k_multi = std::max(tensat.k_multi, 3u);
    }
    tensat.seconds = options_.final_seconds;
    tensat.stop = options_.stop;
    if (options_.keep) tensat.watch = watch();
    const recipes::TensatResult r = recipes::run_tensat(graph_, rules_, tensat);
    run_.start_cost = r.start_cost;
    run_.cost = r.cost;
    run_.search_seconds = r.exploration.cpu_seconds;
    run_.final_seconds = r.extraction.cpu_seconds;
    run_.nodes = r.exploration.tensat_nodes;
    run_.stop_reason = to_string(r.exploration.stop_reason);
    run_.optimal = r.optimal;
    run_.bound = r.bound;
    const std::vector<uint32_t> numbers = recipes::paper_rule_numbers(rules_);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (r.exploration.rules[i].applied > 0) run_.rules[numbers[i]] = r.exploration.rules[i].applied;
    keep(r.graph);
    check(graph_, r.graph);
  }

  recipes::MctsRunOptions tree_search() {
    recipes::MctsRunOptions out = options_of(approach_);
    out.cost = cost_;
    out.seed = task_.key.seed;
    out.node_limit = options_.node_limit;
    out.final_seconds = options_.final_seconds;
    if (approach_.way == Way::kPlus) out.regions = options_.regions;
    out.search.budget = options_.budget;
    out.search.depth = options_.depth;
    if (options_.at_once > 0) out.search.at_once = options_.at_once;
    if (options_.trees > 0) out.trees = options_.trees;
    out.search.reuse_subtree = out.search.reuse_subtree || options_.reuse_tree;
    out.workers = options_.workers;
    out.search.keep_tree = options_.tree;
    out.search.limits.stop = options_.stop;
    if (options_.keep) out.watch = watch();
    out.experience = task_.experience;
    return out;
  }

  void by_tree_search() {
    static_cast<MctsBenchKey&>(run_) = task_.key;
    const bool by_blocks = approach_.way == Way::kBlocks;
    recipes::MctsRunOptions mcts = tree_search();
    recipes::RuleStatistics statistics;
    const bool learns = options_.learn && approach_.way == Way::kPlus;
    if (learns) mcts.statistics = &statistics;
    if (!by_blocks)
      mcts.found = [this](const ir::Graph& from, const ir::Graph& found) { check(from, found); };
    recipes::MctsRunResult r = by_blocks ? recipes::run_mcts_by_blocks(graph_, rules_, mcts).run
                                         : recipes::run_mcts(graph_, rules_, mcts);
    if (learns && !options_.stop.requested()) {
      Store store = Store::of_user();
      recipes::keep(store, mcts.cost, task_.from, statistics);
    }
    run_.start_cost = r.start_cost;
    run_.cost = r.cost;
    run_.search_seconds = r.search_seconds;
    run_.final_seconds = r.final_seconds;
    run_.nodes = r.nodes;
    run_.rollouts = r.rollouts;
    run_.applications = r.applications;
    run_.stop_reason = to_string(r.stop_reason);
    run_.optimal = r.optimal;
    for (const auto& step : r.steps) ++run_.rules[step.rule];
    run_.steps = std::move(r.steps);
    run_.tree = std::move(r.tree);
    keep(r.graph);
    if (by_blocks) check(graph_, r.graph);
  }

  recipes::EGraphViewer watch() {
    return [this](const rewrite::TensorEGraph& seen, std::span<const egraph::NodeId> picked) {
      EGraphPicture shown = recipes::picture(seen, picked);
      if (!before_) before_ = shown;
      kept_->search.first = *before_;
      kept_->search.last = std::move(shown);
    };
  }

  void keep(const ir::Graph& result) {
    if (!options_.keep) return;
    const char* const in_part = approach_.way == Way::kBlocks ? " (in a part)" : "";
    kept_->input = ir::print(graph_);
    kept_->output = ir::print(result);
    kept_->search.start_cost = run_.start_cost;
    kept_->search.start_nodes = kept_->search.first.nodes.size();
    for (const auto& s : run_.steps)
      kept_->search.steps.push_back(
          {fmt::format("{} {}{}", s.rule, s.name, in_part), s.cost, s.nodes, s.rollouts, s.cpu_seconds});
    for (const auto& n : run_.tree)
      kept_->search.tree.push_back(
          {n.parent, std::to_string(n.action), n.visits, n.worth, n.cost, n.saturated});
    run_.kept = kept_;
  }

  void check(const ir::Graph& from, const ir::Graph& found) {
    if (!options_.check || options_.stop.requested()) return;
    constexpr double kSeconds = 60;
    const recipes::FoundCheck seen = recipes::check_found(from, found, kSeconds, options_.stop);
    if (compared_)
      compared_->keep_worse(seen);
    else
      compared_ = seen;
    run_.same = compared_->words();
    run_.differs = compared_->differs();
    if (seen.floats.kind == verify::VerdictKind::kUnknown)
      run_.unchecked = seen.floats.note;
    else
      run_.error = std::max(run_.error.value_or(0), seen.floats.max_relative_error);
  }

  const MctsBenchTask& task_;
  const MctsBenchOptions& options_;
  const Approach& approach_;
  const std::string cost_;
  ir::Context ctx_{ir::standard_ops()};
  const recipes::Program program_;
  const ir::Graph graph_;
  const rewrite::RuleSet rules_;
  MctsBenchRun run_;
  std::optional<EGraphPicture> before_;
  std::shared_ptr<MctsBenchKept> kept_ = std::make_shared<MctsBenchKept>();
  std::optional<recipes::FoundCheck> compared_;
};

}  // namespace

MctsBenchRun run_one(const MctsBenchTask& task, const MctsBenchOptions& options) {
  return OneRun(task, options)();
}

}  // namespace isomer::evaluation
