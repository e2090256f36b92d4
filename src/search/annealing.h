// Simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 1983): a walk that takes a worse step with
// probability exp(-increase / temperature), the temperature falling geometrically. Costs are taken relative
// to the start, so that temperatures mean the same for every problem. A walk that is stuck starts again from
// the best state.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "search/problem.h"
#include "support/limits.h"
#include "support/rng.h"

namespace isomer::search {

struct AnnealingOptions {
  double hot = 0.05,
         cold = 1e-4;  ///< temperatures at the first and the last step, as shares of the first cost
  uint64_t steps = 1000;
  Limits limits;
};

template <Problem P>
struct AnnealingResult {
  typename P::State best;
  double cost = 0;
  uint64_t steps = 0, accepted = 0;
  StopReason stop_reason =
      StopReason::kRunning;  ///< kIterationLimit: all steps were taken; kSaturated: no action
};

template <Problem P>
AnnealingResult<P> annealing(P& problem, const AnnealingOptions& options, Rng& rng,
                             const std::function<void(double, uint64_t)>& improved = {}) {
  LimitWatch watch(options.limits);
  typename P::State at = problem.initial();
  AnnealingResult<P> result{at};
  double cost = result.cost = problem.cost(at);
  const double scale = cost > 0 ? cost : 1;
  std::vector<typename P::Action> actions = problem.actions(at);
  while (result.stop_reason == StopReason::kRunning) {
    if (result.steps >= options.steps) {
      result.stop_reason = StopReason::kIterationLimit;
      break;
    }
    if (actions.empty()) {
      if (cost <= result.cost) {
        result.stop_reason = StopReason::kSaturated;
        break;
      }
      at = result.best;
      cost = result.cost;
      actions = problem.actions(at);
      continue;
    }
    const double done = static_cast<double>(result.steps) / static_cast<double>(options.steps);
    const double temperature = scale * options.hot * std::pow(options.cold / options.hot, done);
    const typename P::Action& action = actions[rng.below(actions.size())];
    const double ahead = preview(problem, at, action).cost;
    ++result.steps;
    if (ahead <= cost || rng.uniform() < std::exp((cost - ahead) / temperature)) {
      at = problem.step(at, action);
      cost = problem.cost(at);
      actions = problem.actions(at);
      ++result.accepted;
      if (cost < result.cost) {
        result.best = at;
        result.cost = cost;
        if (improved) improved(cost, result.steps);
      }
    }
    result.stop_reason = watch.check(0, 0);
  }
  return result;
}

}  // namespace isomer::search
