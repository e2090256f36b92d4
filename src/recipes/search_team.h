// What several workers or trees of a search play on (search/mcts.h): each e-graphs of its own, with a
// context, a program and costs that it shares with nobody, since interning and costs that are remembered are
// not for several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "problems/build_egraph.h"

namespace isomer::recipes {

class SearchTeam {
 public:
  /// Arguments as BuildEGraph has them; all must outlive this. The first problem is over the program itself,
  /// the others over clones. There are as many as wanted, but one only where the model cannot be forked.
  SearchTeam(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
             const problems::BuildEGraphOptions& options, size_t wanted,
             const rewrite::EGraph* start = nullptr);
  ~SearchTeam();

  problems::BuildEGraph& first() { return *problems_[0]; }
  std::span<problems::BuildEGraph* const> problems() const { return problems_; }

 private:
  struct Player;
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<problems::BuildEGraph*> problems_;
};

}  // namespace isomer::recipes
