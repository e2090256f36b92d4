#include "recipes/tensat.h"

#include "recipes/weight_costs.h"
#include "rewrite/rule_parser.h"

namespace isomer::recipes {

rewrite::RuleSet tensat_rules(const ir::OpTable& ops, const std::string& folder,
                              GroupedConvolutions grouped) {
  rewrite::RuleSet rules = rewrite::load_rules(ops, folder + "/taso_single.txt");
  rules.append(rewrite::load_rules(ops, folder + "/taso_multi.txt"));
  rules.append(rewrite::load_rules(ops, folder + "/taso_handwritten.rules"));
  if (grouped == GroupedConvolutions::kAsTensat)
    for (rewrite::Rule& rule : rules.rules) rule.conditions.clear();  // they have no others
  return rules;
}

TensatResult run_tensat(const ir::Graph& graph, const rewrite::RuleSet& rules, const TensatOptions& options) {
  const std::unique_ptr<cost::CostModel> model =
      options.model ? cost_model_with_weights(options.model, options.weights_free)
                    : cost_model_with_weights(options.cost, options.weights_free);

  rewrite::TensorEGraph program(graph);
  rewrite::ExtractOptions start;
  start.extractor = extract::Extractor::kTreeGreedy;  // one program in there: any extractor finds it
  start.prices.weights_free = options.weights_free;
  const rewrite::TensorExtraction first =
      rewrite::extract(program, rewrite::Alternatives(program), *model, start);
  const double start_cost = first.cost;
  if (options.watch) options.watch(program, first.nodes);

  rewrite::Saturation saturation(program, rules);
  rewrite::SaturateOptions explore;
  explore.limits.nodes = options.node_limit;
  explore.limits.iterations = options.iteration_limit;
  explore.limits.seconds = options.seconds;
  explore.limits.stop = options.stop;
  explore.limit_by_tensat_count = true;
  explore.k_multi = options.k_multi;
  explore.node_multi = options.node_multi;
  explore.cycles = options.cycles;
  rewrite::SaturateReport exploration = saturation.run(explore);

  rewrite::ExtractOptions pick;
  pick.extractor = options.extractor;
  pick.limits.seconds = options.seconds;
  pick.cpu_clock = options.cpu_clock;
  pick.limits.stop = options.stop;
  pick.prices.weights_free = options.weights_free;
  rewrite::TensorExtraction extraction = rewrite::extract(program, saturation.alternatives(), *model, pick);
  if (options.watch) options.watch(program, extraction.nodes);
  auto used = rewrite::rules_used(extraction, saturation);
  return {start_cost,       extraction.cost,        extraction.bound,      extraction.optimal,
          extraction.graph, std::move(exploration), std::move(extraction), std::move(used)};
}

}  // namespace isomer::recipes
