// What a Monte Carlo tree search may ask of a problem beyond the basics, is told to do, and tells.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "search/problem.h"
#include "support/limits.h"

namespace isomer::search {

/// A problem that changes a state in place, prunes actions only when asked about one, and has states that are
/// final. `actions` is then asked no more.
template <class P>
concept GrowsInPlace = Problem<P> && requires(P& p, typename P::State& s, const typename P::Action& a) {
  { p.all_actions() } -> std::convertible_to<const std::vector<typename P::Action>&>;
  { p.may_apply(s, a) } -> std::same_as<bool>;
  p.advance(s, a);
  { p.ended(s) } -> std::same_as<bool>;
  p.trial_begins();
  p.trial_ended();
  p.keep_only(s);
};

/// A problem that weighs actions by what is known of them from elsewhere, and is told how they fared:
/// `prior` is in (0, 1], the chance that an action that was drawn is taken and not drawn anew; a rollout's
/// path has the actions of tree and simulation that changed something, its reward is the improvement of cost.
template <class P>
concept HasPriors =
    Problem<P> && requires(P& p, const typename P::Action& a, std::span<const typename P::Action> path) {
      { p.prior(a) } -> std::convertible_to<double>;
      { p.has_priors() } -> std::same_as<bool>;
      p.rollout_ended(path, 0.0);
    };

struct MctsOptions {
  uint32_t budget = 128;  ///< rollouts before each step
  uint32_t depth = 10;    ///< most steps of a simulation
  double exploration =
      2 * std::numbers::sqrt2;  ///< c of equation 2; the authors' program has 2 sqrt(2 ln N / n)
  double stop = 0.5;            ///< probability of expanding where going down is possible too
  double discount = 1;          ///< of each further step's improvement
  bool reuse_subtree = false;   ///< the chosen child's tree is the next one's beginning
  bool count_void = true;       ///< a rollout that changed nothing counts
  bool relative = false;        ///< rewards between 0 and 1: least and largest seen
  bool by_best = false;         ///< a node's worth is the best of its rollouts, not their mean
  size_t keep_tree = 0;         ///< nodes of the first step's tree that the result holds, at most
  double widening = 0;          ///< above 0: a node of n visits may have `widening` sqrt(n) children
  bool transpositions = false;  ///< a state that the tree holds already is not looked at again
  /// Rollouts of a tree that are under way at a time, each on a problem of its own.
  uint32_t at_once = 1;
  Limits limits;  ///< iterations: steps; nodes: rollouts
};

template <class Action>
struct MctsStep {
  Action action;
  double cost = 0;  ///< after it
  uint64_t rollouts = 0;
  uint32_t children = 0, saturated = 0;  ///< of the root: tried actions, and those that led to nothing new
  double worth = 0;                      ///< of the child that was taken
  double cpu_seconds = 0;                ///< of all threads, since the search began
};

/// A node of a tree as it stands, for pictures.
template <class Action>
struct MctsTreeNode {
  uint32_t parent = 0;  ///< its number; the root is 0, parents come before their children
  Action action{};      ///< that led to it
  double visits = 0, worth = 0, cost = 0;
  bool saturated = false;
};

}  // namespace isomer::search
