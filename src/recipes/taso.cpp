#include "recipes/taso.h"

#include "recipes/taso_language.h"
#include "recipes/weight_costs.h"
#include "search/backtracking.h"

namespace isomer::recipes {
TasoResult run_taso(const ir::Graph& graph, const rewrite::RuleSet& rules, const TasoOptions& options) {
  const bool as_taso = !options.model && !options.cost;
  const std::unique_ptr<cost::CostModel> model =
      options.model ? cost_model_with_weights(options.model, options.weights_free)
                    : cost_model_with_weights(options.cost.value_or("anchor"), options.weights_free);
  const double cpu = thread_cpu_seconds();
  problems::RewriteGraph problem(graph, rules, *model,
                                 {options.interior_unused, as_taso ? free_in_taso() : ""});
  search::BacktrackingOptions backtracking{options.alpha, options.budget, options.limits};
  const auto found = search::backtracking(problem, backtracking, options.improved);
  double folded = 0;
  for (rewrite::DagTermId t : found.best.terms)
    if (!problem.dag().facts(t).is_weight) folded += problem.dag().cost(t);
  const double start = problem.initial().cost;
  return {start,
          found.cost,
          folded,
          problem.graph(found.best),
          found.expanded,
          found.generated,
          found.held,
          found.seconds,
          found.seconds_to_best,
          thread_cpu_seconds() - cpu,
          found.stop_reason};
}

}  // namespace isomer::recipes
