// Beam search: of all successors of the `width` best states of a level, the `width` best go on. States are
// known by key and never visited twice.
#pragma once

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/problem.h"
#include "support/limits.h"

namespace isomer::search {

struct BeamOptions {
  uint64_t width = 8;
  Limits limits;  ///< iterations: levels; nodes: states that were visited
};

template <Problem P>
struct BeamResult {
  typename P::State best;
  double cost = 0;
  uint64_t levels = 0;
  uint64_t visited = 0;
  StopReason stop_reason = StopReason::kRunning;  ///< kSaturated: no new state
};

template <Problem P>
BeamResult<P> beam(P& problem, const BeamOptions& options,
                   const std::function<void(double, uint64_t)>& improved = {}) {
  struct Next {
    double cost;
    uint64_t number;
    size_t parent;
    typename P::Action action;
  };
  LimitWatch watch(options.limits);
  std::vector<typename P::State> level{problem.initial()};
  BeamResult<P> result{level[0]};
  result.cost = problem.cost(level[0]);
  std::unordered_set<uint64_t> seen{problem.key(level[0])};
  while (result.stop_reason == StopReason::kRunning) {
    std::vector<Next> next;
    for (size_t i = 0; i < level.size(); ++i)
      for (typename P::Action& action : problem.actions(level[i])) {
        const Preview ahead = preview(problem, level[i], action);
        if (seen.insert(ahead.key).second) next.push_back({ahead.cost, next.size(), i, std::move(action)});
      }
    if (next.empty()) {
      result.stop_reason = StopReason::kSaturated;
      break;
    }
    const size_t width = std::min<size_t>(options.width, next.size());
    std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(width), next.end(),
                      [](const Next& a, const Next& b) {
                        return a.cost != b.cost ? a.cost < b.cost : a.number < b.number;
                      });
    std::vector<typename P::State> below;
    for (size_t i = 0; i < width; ++i) {
      below.push_back(problem.step(level[next[i].parent], next[i].action));
      if (const double cost = problem.cost(below.back()); cost < result.cost) {
        result.best = below.back();
        result.cost = cost;
        if (improved) improved(cost, result.levels + 1);
      }
    }
    level = std::move(below);
    result.visited += width;
    result.stop_reason = watch.check_now(result.visited, ++result.levels + 1);
  }
  return result;
}

}  // namespace isomer::search
