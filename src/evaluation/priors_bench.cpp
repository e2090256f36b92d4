#include "evaluation/priors_bench.h"

#include <map>
#include <string>

#include "evaluation/cheapest_program.h"
#include "ir/op_table.h"
#include "recipes/load.h"
#include "recipes/rule_priors.h"
#include "recipes/taso_language.h"

namespace isomer::evaluation {
namespace {

/// One search, from one start graph.
struct Searched {
  Searched(const MctsModel& model, const MctsBenchOptions& bench, const std::string& cost, size_t node_limit)
      : program(recipes::load_program(ctx, model.file, {})),
        graph(recipes::in_taso_language(program.graph)),
        rules(mcts_rules(ctx.ops(), bench, model.name)),
        prices(cost::make_cost_model(cost)),
        problem(graph, rules, *prices, building(node_limit)) {}
  static problems::BuildEGraphOptions building(size_t node_limit) {
    problems::BuildEGraphOptions out;
    out.node_limit = out.node_multi = node_limit;
    out.extraction = recipes::mcts_plus().main;
    return out;
  }
  ir::Context ctx{ir::standard_ops()};
  recipes::Program program;
  ir::Graph graph;
  rewrite::RuleSet rules;
  std::unique_ptr<cost::CostModel> prices;
  problems::BuildEGraph problem;
};

}  // namespace

double PriorsBenchRun::cost_after(uint64_t within) const {
  double cost = start_cost;
  for (const auto& [rollout, better] : improvements)
    if (rollout <= within) cost = better;
  return cost;
}

std::optional<uint64_t> PriorsBenchRun::rollouts_to(double cost) const {
  const double enough = cost * (1 + 1e-6);
  if (start_cost <= enough) return 0;
  for (const auto& [rollout, better] : improvements)
    if (better <= enough) return rollout;
  return std::nullopt;
}

void run_priors_bench(const PriorsBenchOptions& options, Store& store,
                      const std::function<void(const PriorsBenchRun&)>& done) {
  MctsBenchOptions bench;
  bench.models = options.models;
  bench.rules = options.rules;
  const std::vector<MctsModel> models = mcts_files(bench);
  const std::string cost = "roofline:" + options.device;

  std::map<std::string, recipes::RuleStatistics> learned;
  for (const MctsModel& model : models) {
    Searched s(model, bench, cost, options.node_limit);
    recipes::RuleStatistics& statistics = learned[model.name];
    observe_rollouts(s.problem, s.problem.initial().cost, statistics);
    search::MctsOptions search = recipes::mcts_plus().search;
    search.budget = options.learning_budget;
    search.limits.stop = options.stop;
    Rng rng(0);
    const auto found = search::mcts(s.problem, search, rng);
    if (options.stop.requested()) return;
    note_best_path(s.problem, found.best_actions, statistics);
    recipes::keep(store, cost, {model.name, mcts_inputs(model, options.device, bench)}, statistics);
  }
  for (const MctsModel& model : models) {
    std::vector<recipes::RuleStatistics> others;
    for (const auto& [name, statistics] : learned)
      if (name != model.name) others.push_back(statistics);
    for (uint64_t seed = 1; seed <= options.seeds; ++seed)
      for (const bool with : {false, true}) {
        Searched s(model, bench, cost, options.node_limit);
        if (with) s.problem.set_priors(recipes::priors_from(others, s.rules));
        search::MctsOptions search = recipes::mcts_plus().search;
        search.budget = options.budget;
        search.limits.nodes = options.rollouts;
        search.limits.stop = options.stop;
        Rng rng(seed);
        PriorsBenchRun run;
        run.model = model.name;
        run.seed = seed;
        run.with_priors = with;
        run.start_cost = s.problem.initial().cost;
        auto found = search::mcts(s.problem, search, rng);
        if (options.stop.requested()) return;
        run.improvements = std::move(found.improvements);
        run.rollouts = found.rollouts;
        run.cpu_seconds = found.cpu_seconds;
        if (options.check) {
          constexpr double kSeconds = 60;
          rewrite::TensorEGraph program(s.graph);
          rewrite::Alternatives alternatives(program);
          s.problem.replay(found.best_actions, alternatives);
          Limits limits;
          limits.seconds = kSeconds;
          limits.stop = options.stop;
          if (const auto best = cheapest_program(s.graph, program.graph(), *s.prices, limits))
            run.check = recipes::check_found(s.graph, *best, kSeconds, options.stop);
        }
        done(run);
      }
  }
}

}  // namespace isomer::evaluation
