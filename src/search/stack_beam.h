// Beam search that goes deep first: HloEnv's (appendix C.2). A stack holds states; the one on top gives way
// to those of its successors whose cost is below `alpha` times its own, at most `expand` of them. With
// infinite alpha and no bound on them it is exhaustive. It returns the cheapest state of all and how to come
// to it.
//
// The paper does not say in which order successors are pushed, nor what becomes of states that are met again:
// here the cheapest comes on top, and a state is taken up once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/factored.h"
#include "search/problem.h"
#include "support/limits.h"

namespace isomer::search {

struct StackBeamOptions {
  double alpha = 20;                                       ///< the paper's
  uint64_t expand = std::numeric_limits<uint64_t>::max();  ///< successors that a state may push
  Limits limits;  ///< iterations: states that were expanded; nodes: met
};

/// Infinite alpha, no bound.
inline StackBeamOptions exhaustive(const Limits& limits) {
  return {std::numeric_limits<double>::infinity(), std::numeric_limits<uint64_t>::max(), limits};
}

template <Problem P>
struct StackBeamResult {
  typename P::State best;
  double cost = 0;
  std::vector<typename P::Action> actions{};  ///< from the initial state to it
  uint64_t expanded = 0, met = 1;
  StopReason stop_reason = StopReason::kRunning;  ///< kSaturated: the stack is empty
};

template <Problem P>
StackBeamResult<P> stack_beam(P& problem, const StackBeamOptions& options,
                              const std::function<void(double, uint64_t)>& improved = {}) {
  struct Entry {
    typename P::State state;
    double cost;
    size_t trail;
  };
  struct Trail {
    size_t before;
    typename P::Action action;
  };
  constexpr size_t kStart = std::numeric_limits<size_t>::max();
  LimitWatch watch(options.limits);
  StackBeamResult<P> result{problem.initial()};
  result.cost = problem.cost(result.best);
  std::vector<Trail> trails;
  size_t best_trail = kStart;
  std::unordered_set<uint64_t> seen{problem.key(result.best)};
  std::vector<Entry> stack{{result.best, result.cost, kStart}};

  while (result.stop_reason == StopReason::kRunning) {
    if (stack.empty()) {
      result.stop_reason = StopReason::kSaturated;
      break;
    }
    const Entry from = std::move(stack.back());
    stack.pop_back();
    ++result.expanded;

    std::vector<typename P::State> states;
    std::vector<size_t> trails_of;
    for (typename P::Action& action : problem.actions(from.state)) {
      typename P::State state = problem.step(from.state, action);
      if (!seen.insert(problem.key(state)).second) continue;
      states.push_back(std::move(state));
      trails_of.push_back(trails.size());
      trails.push_back({from.trail, std::move(action)});
    }
    if constexpr (CostsAtOnce<P>) problem.prepare(states);

    std::vector<Entry> next;
    for (size_t i = 0; i < states.size(); ++i) {
      const double cost = problem.cost(states[i]);
      ++result.met;
      if (cost < result.cost) {
        result.best = states[i];
        result.cost = cost;
        best_trail = trails_of[i];
        if (improved) improved(cost, result.met);
      }
      if (cost < options.alpha * from.cost) next.push_back({std::move(states[i]), cost, trails_of[i]});
      result.stop_reason = watch.check_now(result.met, result.expanded + 1);
      if (result.stop_reason != StopReason::kRunning) break;
    }
    std::ranges::stable_sort(next, std::greater<>(), &Entry::cost);
    const size_t many = std::min<uint64_t>(options.expand, next.size());
    stack.insert(stack.end(), std::make_move_iterator(next.end() - static_cast<std::ptrdiff_t>(many)),
                 std::make_move_iterator(next.end()));
  }
  for (size_t at = best_trail; at != kStart; at = trails[at].before)
    result.actions.push_back(trails[at].action);
  std::ranges::reverse(result.actions);
  return result;
}

}  // namespace isomer::search
