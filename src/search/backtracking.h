// TASO's cost-based backtracking search (Jia et al., SOSP 2019, section 5 and algorithm 2): best-first,
// keeping every new state that costs less than alpha times the best so far; alpha 1 is greedy descent, larger
// values climb over hills. Ours holds in the queue only how a state is reached (parent and action) with its
// previewed cost and key, and takes the step when the state's turn has come: of the many states held only
// `budget` are ever built.
#pragma once

#include <functional>
#include <queue>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/problem.h"
#include "support/limits.h"

namespace isomer::search {

struct BacktrackingOptions {
  double alpha = 1.05;
  uint64_t budget = 100;  ///< states whose actions are looked at
  Limits limits;          ///< nodes: states held in the queue
};

template <Problem P>
struct BacktrackingResult {
  typename P::State best;
  double cost = 0;
  uint64_t expanded = 0;
  uint64_t generated = 0;
  uint64_t held = 0;  ///< distinct states that were cheap enough for the queue
  double seconds = 0, seconds_to_best = 0;
  StopReason stop_reason =
      StopReason::kRunning;  ///< kSaturated: the queue ran dry; kIterationLimit: the budget
};

/// `improved(cost, expanded)` is told of every better state.
template <Problem P>
BacktrackingResult<P> backtracking(P& problem, const BacktrackingOptions& options,
                                   const std::function<void(double, uint64_t)>& improved = {}) {
  struct Held {
    double cost;
    uint64_t number;  // ties go to the one that was found first
    size_t parent;    // into `expanded`
    typename P::Action action;
    bool operator<(const Held& other) const {
      return cost != other.cost ? cost > other.cost : number > other.number;
    }
  };
  const double begin = wall_seconds();
  LimitWatch watch(options.limits);
  std::vector<typename P::State> expanded{problem.initial()};
  BacktrackingResult<P> result{expanded[0]};
  result.cost = problem.cost(expanded[0]);
  std::unordered_set<uint64_t> seen{problem.key(expanded[0])};
  std::priority_queue<Held> queue;
  const auto consider = [&](const typename P::State& state) {
    const double cost = problem.cost(state);
    if (cost >= result.cost) return;
    result.best = state;
    result.cost = cost;
    result.seconds_to_best = wall_seconds() - begin;
    if (improved) improved(cost, result.expanded);
  };
  const auto expand = [&](size_t at) {
    ++result.expanded;
    for (typename P::Action& action : problem.actions(expanded[at])) {
      ++result.generated;
      const Preview next = preview(problem, expanded[at], action);
      if (next.cost >= options.alpha * result.cost || !seen.insert(next.key).second) continue;
      queue.push({next.cost, result.held++, at, std::move(action)});
    }
  };
  expand(0);
  while (result.stop_reason == StopReason::kRunning) {
    if (queue.empty()) {
      result.stop_reason = StopReason::kSaturated;
    } else if (result.expanded >= options.budget) {
      // What is cheapest in the queue has been found, though nobody looks on from there.
      consider(problem.step(expanded[queue.top().parent], queue.top().action));
      result.stop_reason = StopReason::kIterationLimit;
    } else {
      const Held next = queue.top();
      queue.pop();
      expanded.push_back(problem.step(expanded[next.parent], next.action));
      consider(expanded.back());
      expand(expanded.size() - 1);
      result.stop_reason = watch.check_now(result.held, 0);
    }
  }
  result.seconds = wall_seconds() - begin;
  return result;
}

}  // namespace isomer::search
