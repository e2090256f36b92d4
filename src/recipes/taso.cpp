#include "recipes/taso.h"

#include "search/backtracking.h"

namespace isomer::recipes {
namespace {

/// Another model, with operators on weights free.
class WeightsFree final : public cost::CostModel {
 public:
  explicit WeightsFree(std::unique_ptr<cost::CostModel> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name(); }
  double cost(const cost::NodeCostQuery& query) override {
    return query.operands_are_weights ? 0 : inner_->cost(query);
  }

 private:
  std::unique_ptr<cost::CostModel> inner_;
};

}  // namespace

TasoResult run_taso(const ir::Graph& graph, const rewrite::RuleSet& rules, const TasoOptions& options) {
  const bool as_taso = options.cost == "anchor-taso";
  std::unique_ptr<cost::CostModel> model = cost::make_cost_model(as_taso ? "anchor" : options.cost);
  if (options.weights_free) model = std::make_unique<WeightsFree>(std::move(model));
  const double cpu = thread_cpu_seconds();
  problems::RewriteGraph problem(graph, rules, *model,
                                 {options.interior_unused, as_taso ? "taso.concat" : ""});
  search::BacktrackingOptions backtracking{options.alpha, options.budget, options.limits};
  const auto found = search::backtracking(problem, backtracking, options.improved);
  double folded = 0;
  for (rewrite::TermId t : found.best.terms)
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
