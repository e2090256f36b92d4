// What searches know of what they search: states, the actions that lead on from one, what a state costs, and
// a key by which equal states are known. The searches of this folder are written once over this; building an
// e-graph, rewriting a graph, deciding passes are problems (problems/). The interface is that of
// reinforcement learning's environments and of Russell and Norvig's search problems, with cost in place of
// reward.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

namespace isomer::search {

/// States are values: searches copy and keep them. Methods may remember what they computed, hence no const.
/// Costs are at least 0, lower is better. Equal keys mean equal states (up to a collision of 64 bits).
template <class P>
concept Problem = requires(P& p, const typename P::State& s, const typename P::Action& a) {
  { p.initial() } -> std::same_as<typename P::State>;
  { p.actions(s) } -> std::same_as<std::vector<typename P::Action>>;
  { p.step(s, a) } -> std::same_as<typename P::State>;
  { p.cost(s) } -> std::convertible_to<double>;
  { p.key(s) } -> std::convertible_to<uint64_t>;
};

/// What a step leads to, known without taking it. The cost may be above the state's own, never below.
struct Preview {
  double cost = 0;
  uint64_t key = 0;
};

template <class P>
concept PreviewsSteps =
    Problem<P> && requires(P& p, const typename P::State& s, const typename P::Action& a) {
      { p.preview(s, a) } -> std::same_as<Preview>;
    };

/// Preview by taking the step, where the problem knows nothing quicker.
template <Problem P>
Preview preview(P& problem, const typename P::State& state, const typename P::Action& action) {
  if constexpr (PreviewsSteps<P>) {
    return problem.preview(state, action);
  } else {
    const typename P::State next = problem.step(state, action);
    return {problem.cost(next), problem.key(next)};
  }
}

}  // namespace isomer::search
