#include "extract/portfolio.h"

#include <algorithm>

#include "extract/check.h"
#include "extract/dag_greedy.h"
#include "extract/greedy.h"
#include "extract/local_search.h"
#include "extract/windows.h"

namespace isomer::extract {

Selection quick_selection(const Problem& problem) {
  constexpr uint64_t kWork = 100'000;
  constexpr int kRestarts = 6;
  constexpr int kPatience = 2;
  Selection best = local_search(problem, dag_greedy(problem), kWork);
  double cost = check(problem, best).dag_cost;
  const auto offer = [&](const Selection& start) {
    Selection candidate = local_search(problem, start, kWork);
    const double other = check(problem, candidate).dag_cost;
    if (other >= cost) return false;
    cost = other;
    best = std::move(candidate);
    return true;
  };
  offer(tree_greedy(problem));
  // Again with other prices, what is picked now at half of its own.
  Rng rng(1);
  std::vector<double> costs(problem.nodes());
  int idle = 0;
  for (int i = 0; i < kRestarts && idle < kPatience; ++i) {
    for (uint32_t n = 0; n < problem.nodes(); ++n) {
      const bool picked = best[problem.class_of(NodeId(n))] == NodeId(n);
      costs[n] = problem.cost(NodeId(n)) * (picked ? 0.5 : 1) * (0.75 + 0.5 * rng.uniform());
    }
    idle = offer(dag_greedy(problem, costs)) ? 0 : idle + 1;
  }
  return best;
}

ExactOutcome improve_until(const Problem& problem, Selection start, const Deadline& deadline, Rng& rng) {
  ExactOutcome best;
  best.cost = check(problem, start).dag_cost;
  best.selection = std::move(start);
  const auto prove = [&](const Deadline& until) {
    ExactOutcome outcome = solve_exactly(problem, best.selection, until);
    outcome.bound = std::max(outcome.bound, best.bound);
    outcome.relaxations += best.relaxations;
    outcome.cuts += best.cuts;
    outcome.rounds += best.rounds;
    best = std::move(outcome);
  };
  prove(deadline.part(0.7));
  while (!best.optimal && !deadline.over()) {
    WindowOptions options;
    options.bound = best.bound;
    options.has_bound = true;
    best.selection = window_search(problem, std::move(best.selection), deadline.part(0.6), rng, options);
    const double cost = check(problem, best.selection).dag_cost;
    const bool better = cost < best.cost;
    best.cost = cost;
    if (deadline.over()) break;
    prove(deadline);
    if (!better) break;
  }
  return best;
}

}  // namespace isomer::extract
