// Random walks from the start, each until nothing leads on or a number of steps has been taken: the least
// that a search has to beat.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "search/factored.h"
#include "search/problem.h"
#include "support/limits.h"
#include "support/rng.h"

namespace isomer::search {

struct RandomWalksOptions {
  uint64_t steps = 1000;  ///< of all walks together
  uint64_t length = 100;  ///< most steps of one
  Limits limits;
};

template <Problem P>
struct RandomWalksResult {
  typename P::State best;
  double cost = 0;
  uint64_t steps = 0, walks = 0;
  StopReason stop_reason =
      StopReason::kRunning;  ///< kIterationLimit: all steps were taken; kSaturated: nothing leads on
};

/// One of those that lead on, uniformly; of actions made of parts, each part uniformly.
template <Problem P>
std::optional<typename P::Action> random_action(P& problem, const typename P::State& at, Rng& rng) {
  if constexpr (FactoredProblem<P>) {
    const std::vector<uint32_t> factors = problem.factors(at);
    if (factors.empty()) return std::nullopt;
    return random_decisions(factors, rng);
  } else {
    const std::vector<typename P::Action> actions = problem.actions(at);
    if (actions.empty()) return std::nullopt;
    return actions[rng.below(actions.size())];
  }
}

/// `improved(cost, steps)` is told of every better state.
template <Problem P>
RandomWalksResult<P> random_walks(P& problem, const RandomWalksOptions& options, Rng& rng,
                                  const std::function<void(double, uint64_t)>& improved = {}) {
  LimitWatch watch(options.limits);
  const typename P::State start = problem.initial();
  RandomWalksResult<P> result{start};
  result.cost = problem.cost(start);
  while (result.stop_reason == StopReason::kRunning) {
    typename P::State at = start;
    ++result.walks;
    uint64_t length = 0;
    for (; length < options.length && result.stop_reason == StopReason::kRunning; ++length) {
      const std::optional<typename P::Action> action = random_action(problem, at, rng);
      if (!action) break;
      at = problem.step(at, *action);
      ++result.steps;
      if (const double cost = problem.cost(at); cost < result.cost) {
        result.best = at;
        result.cost = cost;
        if (improved) improved(cost, result.steps);
      }
      result.stop_reason =
          result.steps >= options.steps ? StopReason::kIterationLimit : watch.check_now(0, 0);
    }
    if (length == 0) result.stop_reason = StopReason::kSaturated;
  }
  return result;
}

}  // namespace isomer::search
