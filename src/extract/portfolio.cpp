#include "extract/portfolio.h"

#include <algorithm>

#include "extract/check.h"
#include "extract/dag_greedy.h"
#include "extract/greedy.h"
#include "extract/local_search.h"
#include "extract/windows.h"

namespace isomer::extract {

Selection quick_selection(const Problem& problem) {
  Selection best = dag_greedy(problem);
  Selection tree = tree_greedy(problem);
  if (check(problem, tree).dag_cost < check(problem, best).dag_cost) best = std::move(tree);
  return local_search(problem, std::move(best), 100'000);
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
  prove(deadline.part(0.5));
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
