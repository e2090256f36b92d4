// Problems whose actions are made of parts: a state has factors, an action says for each of them which of its
// options is taken (0: nothing is done there). Deciding HLO passes is one (HloEnv, section 3: the action
// space is A_1 x ... x A_D, a factor for each instruction that has alternatives). The number of joint actions
// is a product, so searches either enumerate it up to a limit or decide each factor by itself
// (factored_mcts.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/problem.h"
#include "support/rng.h"

namespace isomer::search {

/// An option for each factor.
using Decisions = std::vector<uint32_t>;

/// `factors`: the number of options of each, at least 2.
template <class P>
concept FactoredProblem =
    Problem<P> && std::same_as<typename P::Action, Decisions> && requires(P& p, const typename P::State& s) {
      { p.factors(s) } -> std::same_as<std::vector<uint32_t>>;
    };

/// Problems that cost several states at once, where that is quicker than one after another (programs that are
/// timed beside each other): `prepare` is told of states whose costs will be asked for.
template <class P>
concept CostsAtOnce =
    Problem<P> && requires(P& p, const std::vector<typename P::State>& states) { p.prepare(states); };

inline bool does_nothing(const Decisions& decisions) {
  for (const uint32_t option : decisions)
    if (option != 0) return false;
  return true;
}

/// Each factor by itself, uniformly.
inline Decisions random_decisions(const std::vector<uint32_t>& factors, Rng& rng) {
  Decisions out;
  for (const uint32_t options : factors) out.push_back(static_cast<uint32_t>(rng.below(options)));
  return out;
}

/// Joint actions but the one that does nothing; at most `most`, none if there are more.
inline std::optional<uint64_t> joint_actions(const std::vector<uint32_t>& factors, uint64_t most) {
  uint64_t out = 1;
  for (const uint32_t options : factors) {
    out *= options;
    if (out - 1 > most) return std::nullopt;
  }
  return out - 1;
}

/// The joint action after this one, the first factor fastest; false after the last.
inline bool next_decisions(const std::vector<uint32_t>& factors, Decisions& decisions) {
  for (size_t d = 0; d < factors.size(); ++d) {
    if (++decisions[d] < factors[d]) return true;
    decisions[d] = 0;
  }
  return false;
}

}  // namespace isomer::search
