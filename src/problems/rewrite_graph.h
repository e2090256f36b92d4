// Rewriting one graph as a search problem: states are programs, actions are applications of rules. What
// TASO's search walks on; any search of search/ can. A multi-pattern rule replaces both of its roots at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rewrite/term_dag.h"
#include "search/problem.h"

namespace isomer::problems {

struct RewriteGraphOptions {
  /// A match may only be replaced where nothing else uses what lies between its roots and its variables, as
  /// in TASO. Otherwise those values are kept for their other users and pay for themselves.
  bool interior_unused = true;
  /// What rules make of the operator of this name costs nothing: TASO does not charge for the concatenations
  /// that its substitutions bring in. Empty: all are charged.
  std::string free_when_made;
};

class RewriteGraph {
 public:
  struct State {
    std::vector<rewrite::DagTermId> roots;
    std::vector<rewrite::DagTermId> terms;  ///< all that is reachable, children first
    double cost = 0;
    uint64_t key = 0;
  };
  struct Action {
    uint32_t rule = 0;
    std::vector<rewrite::DagTermId> roots, results;
    search::Preview ahead;  ///< its cost leaves out what the step makes equal to what is there already
  };

  RewriteGraph(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
               RewriteGraphOptions options = {});
  ~RewriteGraph();
  RewriteGraph(const RewriteGraph&) = delete;
  RewriteGraph& operator=(const RewriteGraph&) = delete;

  State initial();
  std::vector<Action> actions(const State& state);
  State step(const State& state, const Action& action);
  double cost(const State& state) const { return state.cost; }
  uint64_t key(const State& state) const { return state.key; }
  search::Preview preview(const State&, const Action& action) const { return action.ahead; }

  ir::Graph graph(const State& state) const { return dag_.to_graph(state.roots); }
  const rewrite::TermDag& dag() const { return dag_; }

 private:
  struct Scratch;
  State make(std::vector<rewrite::DagTermId> roots);
  bool allowed(const rewrite::TermDag::Match& match, Scratch& scratch) const;
  search::Preview look_ahead(const State& state, const rewrite::TermDag::Match& match,
                             Scratch& scratch) const;

  RewriteGraphOptions options_;
  rewrite::TermDag dag_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace isomer::problems
