#include "recipes/search_team.h"

#include <utility>

#include "ir/graph.h"

namespace isomer::recipes {

struct SearchTeam::Player {
  std::unique_ptr<ir::Context> ctx;  ///< of those after the first
  std::unique_ptr<ir::Graph> graph;
  std::unique_ptr<cost::CostModel> model;
  std::unique_ptr<problems::BuildEGraph> problem;
};

SearchTeam::SearchTeam(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
                       const problems::BuildEGraphOptions& options, size_t wanted,
                       const rewrite::EGraph* start) {
  while (players_.size() < wanted) {
    auto p = std::make_unique<Player>();
    const bool first = players_.empty();
    if (!first) {
      p->model = model.fork();
      if (!p->model) break;
      p->ctx = graph.context().branch();
      p->graph = std::make_unique<ir::Graph>(graph.over(*p->ctx));
    }
    p->problem = std::make_unique<problems::BuildEGraph>(first ? graph : *p->graph, rules,
                                                         first ? model : *p->model, options, start);
    problems_.push_back(p->problem.get());
    players_.push_back(std::move(p));
  }
}

SearchTeam::~SearchTeam() = default;

}  // namespace isomer::recipes
