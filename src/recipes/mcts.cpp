#include "recipes/mcts.h"

#include <iterator>
#include <limits>

#include "cost/cheaper.h"
#include "extract/sharing_greedy.h"
#include "recipes/search_team.h"
#include "recipes/taso_language.h"
#include "rewrite/tensor_extract.h"
#include "support/errors.h"

namespace isomer::recipes {

rewrite::ExtractOptions final_extraction(const MctsRunOptions& options) {
  rewrite::ExtractOptions out;
  out.extractor = options.final;
  out.limits.seconds = options.final_seconds;
  out.limits.stop = options.search.limits.stop;
  return out;
}

std::vector<uint32_t> paper_rule_numbers(const rewrite::RuleSet& rules) {
  std::vector<uint32_t> numbers;
  uint32_t singles = 0;
  for (const rewrite::Rule& r : rules.rules) singles += !r.is_multi();
  uint32_t single = 0, multi = singles;
  for (const rewrite::Rule& r : rules.rules) numbers.push_back(r.is_multi() ? multi++ : single++);
  return numbers;
}

MctsRunOptions mcts_plus() {
  MctsRunOptions o;
  o.main = problems::Extraction::kSharingCorrected;
  o.search.widening = 1;
  o.search.exploration = 0.3;
  o.search.relative = o.search.by_best = o.search.reuse_subtree = o.search.transpositions = true;
  o.search.count_void = false;
  o.take_best = true;
  o.rounds = 4;
  return o;
}

namespace {

MctsRunResult one_round(const ir::Graph& graph, const rewrite::RuleSet& rules,
                        const MctsRunOptions& options) {
  const double begin = thread_cpu_seconds();
  const std::unique_ptr<cost::CostModel> model = cost::make_cost_model(options.cost);
  problems::BuildEGraphOptions building;
  building.node_limit = building.node_multi = options.node_limit;
  building.extraction = options.main;
  building.regions = options.regions;
  const size_t wanted = size_t{options.trees} * options.search.at_once;
  SearchTeam team(graph, rules, *model, building, wanted);
  REQUIRE(team.problems().size() == wanted, "costs that can be forked");
  problems::BuildEGraph& problem = team.first();
  const std::vector<double> priors = priors_from(options.experience, rules);
  for (problems::BuildEGraph* p : team.problems()) p->set_priors(priors);
  if (options.statistics != nullptr) observe_rollouts(problem, problem.initial().cost, *options.statistics);
  Rng rng(options.seed);
  const auto found = search::mcts(team.problems(), options.search, rng, options.workers);
  if (options.statistics != nullptr) note_best_path(problem, found.best_actions, *options.statistics);

  std::vector<uint32_t> path;
  for (const auto& step : found.steps) path.push_back(step.action);
  const double searched = thread_cpu_seconds();
  double watching = 0;
  const auto extract_after = [&](const std::vector<uint32_t>& actions, double below) {
    rewrite::TensorEGraph program(graph);
    rewrite::Alternatives alternatives(program);
    problem.replay(actions, alternatives);
    rewrite::TensorExtraction e = rewrite::extract(program, alternatives, *model, final_extraction(options));
    const double extracted = thread_cpu_seconds();
    if (options.watch && e.found && e.cost < below) options.watch(program, e.nodes);
    watching += thread_cpu_seconds() - extracted;
    return e;
  };
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const double start_cost = extract_after({}, kAny).cost;
  watching = 0;
  const double begun_final = thread_cpu_seconds();
  rewrite::TensorExtraction best = extract_after(path, kAny);
  if (options.take_best && found.best < found.cost) {
    rewrite::TensorExtraction other = extract_after(found.best_actions, best.cost);
    if (other.found && other.cost < best.cost) {
      best = std::move(other);
      path = found.best_actions;
    }
  }
  const double finished = thread_cpu_seconds();

  MctsRunResult out{.graph = best.graph};
  const problems::BuildEGraph::State start = problem.initial();
  out.actions = std::move(path);
  out.start_cost = start_cost;
  out.cost = best.cost;
  out.optimal = best.optimal;
  const std::vector<uint32_t> numbers = paper_rule_numbers(rules);
  problems::BuildEGraph::State state = start;
  for (const auto& step : found.steps) {
    problem.advance(state, step.action);
    out.steps.push_back({numbers[problem.rule_number(step.action)], problem.name(step.action), step.cost,
                         state.nodes, step.rollouts, step.cpu_seconds});
  }
  out.tree = found.tree;
  for (auto& node : out.tree) node.action = numbers.empty() ? 0 : numbers[problem.rule_number(node.action)];
  out.nodes = state.nodes;
  out.rollouts = found.rollouts;
  out.applications = found.applications;
  out.stop_reason = found.stop_reason;
  out.search_seconds = searched - begin + found.helper_seconds;
  out.final_seconds = finished - begun_final - watching;
  out.rounds = 1;
  return out;
}

}  // namespace

MctsRunResult run_mcts(const ir::Graph& graph, const rewrite::RuleSet& rules, const MctsRunOptions& options) {
  MctsRunResult out = one_round(graph, rules, options);
  if (options.found) options.found(graph, out.graph);
  MctsRunOptions again = options;
  again.watch = {};
  for (uint32_t round = 1; round < options.rounds && !options.search.limits.stop.requested(); ++round) {
    const ir::Graph from = weights_as_leaves(out.graph);
    MctsRunResult next = one_round(from, rules, again);
    for (auto& step : next.steps) step.cpu_seconds += out.search_seconds + out.final_seconds;
    out.rollouts += next.rollouts;
    out.applications += next.applications;
    out.search_seconds += next.search_seconds;
    out.final_seconds += next.final_seconds;
    ++out.rounds;
    if (!cost::is_cheaper(next.cost, out.cost)) break;
    if (options.found) options.found(from, next.graph);
    out.cost = next.cost;
    out.optimal = next.optimal;
    out.graph = std::move(next.graph);
    out.steps.insert(out.steps.end(), std::make_move_iterator(next.steps.begin()),
                     std::make_move_iterator(next.steps.end()));
  }
  return out;
}

FirstCosts first_costs(const ir::Graph& graph, const std::string& cost) {
  const std::unique_ptr<cost::CostModel> model = cost::make_cost_model(cost);
  const rewrite::TensorEGraph program(graph);
  const extract::Problem problem = rewrite::flat_problem(program, *model).problem;
  const auto price = [&](extract::SharingCost version) {
    problems::BuildEGraphOptions options;
    options.extraction = version == extract::SharingCost::kPublished
                             ? problems::Extraction::kSharing
                             : problems::Extraction::kSharingCorrected;
    const rewrite::RuleSet none;
    return problems::BuildEGraph(graph, none, *model, options).initial().cost;
  };
  const extract::Extraction exact = extract::extract(problem, extract::Extractor::kAuto);
  const extract::Extraction tree = extract::extract(problem, extract::Extractor::kTreeGreedy);
  return {exact.dag_cost, tree.tree_cost, price(extract::SharingCost::kPublished),
          price(extract::SharingCost::kCorrected)};
}

}  // namespace isomer::recipes
