// One that does rollouts for a tree (mcts_tree.h), on a problem of its own. States refer to what their
// problem remembers, so it cannot go on from those that others made: where the selection ends at somebody
// else's node, the actions that led there are taken again from the nearest state above it that is here (the
// root's is everybody's), and what they lead to is kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/mcts_options.h"
#include "support/rng.h"

namespace isomer::search {

/// What is to be done, and what came of it.
template <Problem P>
struct MctsRollout {
  using Action = typename P::Action;

  uint32_t at = 0;    ///< the node where the selection ended
  uint32_t made = 0;  ///< the node that stands for its expansion; 0: none
  Action action{};    ///< of the expansion

  bool changed = true;      ///< the expansion did
  bool transposed = false;  ///< to a state that is in the tree
  bool news() const { return changed && !transposed; }
  std::unique_ptr<typename P::State> state{};
  std::vector<Action> untried{};  ///< of the expansion
  double cost = 0;                ///< of the state that the simulation began with
  double gain = 0;                ///< from the root to there
  double reward = 0;              ///< with the simulation's
  std::vector<Action> simulated{};
  /// Costs on the way, each after so many actions of the simulation.
  std::vector<std::pair<double, size_t>> met{};
};

/// Of a node, as workers look at it.
template <class Action>
struct MctsEdge {
  Action action{};  ///< that led to it
  uint32_t parent = 0, depth = 0;
  double cost = 0, gain = 0;  ///< gain: improvements from the root to here
};

template <Problem P>
class MctsWorker {
 public:
  using State = typename P::State;
  using Action = typename P::Action;

  MctsWorker(P& problem, const MctsOptions& options, Rng& rng)
      : problem_(problem), options_(options), rng_(rng), work_(problem.initial()) {
    keep(0, std::make_unique<State>(work_));
  }

  P& problem() { return problem_; }
  /// Of a node; null if it is not here.
  State* state(uint32_t node) const { return node < states_.size() ? states_[node].get() : nullptr; }
  void keep(uint32_t node, std::unique_ptr<State> state) {
    if (states_.size() <= node) states_.resize(node + 1);
    if (options_.transpositions) known_.insert(problem_.key(*state));
    states_[node] = std::move(state);
  }
  uint64_t applications() const { return applications_; }

  bool is_end(const State& s) {
    if constexpr (GrowsInPlace<P>) return problem_.ended(s);
    return false;
  }
  decltype(auto) all_actions(const State& s) {  // a reference where the problem has one
    if constexpr (GrowsInPlace<P>)
      return problem_.all_actions();
    else
      return problem_.actions(s);
  }
  std::vector<Action> untried(const State& s) {
    if (is_end(s)) return {};
    return all_actions(s);
  }
  bool may_apply(State& s, const Action& a) {
    if constexpr (GrowsInPlace<P>) return problem_.may_apply(s, a);
    return true;
  }
  /// A random one, by the problem's priors if it has any.
  size_t draw(const std::vector<Action>& among, Rng& rng) {
    if constexpr (HasPriors<P>) {
      if (problem_.has_priors())
        for (;;) {
          const size_t i = rng.below(among.size());
          if (rng.uniform() < problem_.prior(among[i])) return i;
        }
    }
    return rng.below(among.size());
  }

  /// Expands and simulates. `edge(n)`: of any node of the tree, which must not change meanwhile.
  template <class EdgeOf>
  void play(MctsRollout<P>& r, EdgeOf&& edge) {
    if constexpr (GrowsInPlace<P>) problem_.trial_begins();
    go_to(r.at, edge);
    const auto& from = edge(r.at);
    uint32_t depth = from.depth;
    r.cost = from.cost;
    r.gain = from.gain;
    r.changed = true;
    r.transposed = false;
    r.simulated.clear();
    r.met.clear();
    if (r.made != 0) {
      const uint64_t key = problem_.key(work_);
      step(work_, r.action);
      r.changed = problem_.key(work_) != key;
      r.transposed = r.changed && options_.transpositions && known_.contains(problem_.key(work_));
      ++depth;
      if (r.news()) {
        if constexpr (GrowsInPlace<P>) problem_.trial_begins();  // what this state's costs refer to stays
        r.state = std::make_unique<State>(work_);
        r.cost = problem_.cost(work_);
        r.untried = untried(work_);
      }
      r.gain += std::pow(options_.discount, depth - 1) * std::max(from.cost - r.cost, 0.0);
    }
    r.reward = r.gain;
    if (r.news()) simulate(r, depth);
    if constexpr (GrowsInPlace<P>) problem_.trial_ended();
  }

  /// Takes a step of the root: the nodes that stay, by their new number what they were (the first is the new
  /// root), or, where the tree does not know the step, none.
  void take(const Action& action, std::span<const uint32_t> stay) {
    std::vector<std::unique_ptr<State>> kept(std::max<size_t>(stay.size(), 1));
    for (size_t i = 0; i < stay.size(); ++i)
      if (stay[i] < states_.size()) kept[i] = std::move(states_[stay[i]]);
    if (!kept[0]) {
      work_ = *states_[0];
      step(work_, action);
      kept[0] = std::make_unique<State>(work_);
    }
    states_ = std::move(kept);
    known_.clear();
    if (options_.transpositions)
      for (const auto& s : states_)
        if (s) known_.insert(problem_.key(*s));
    if constexpr (GrowsInPlace<P>)
      if (states_.size() == 1) problem_.keep_only(*states_[0]);
  }

 private:
  void step(State& s, const Action& a) {
    ++applications_;
    if constexpr (GrowsInPlace<P>)
      problem_.advance(s, a);
    else
      s = problem_.step(s, a);
  }
  template <class EdgeOf>
  void go_to(uint32_t node, EdgeOf&& edge) {
    way_.clear();
    uint32_t from = node;
    for (; state(from) == nullptr; from = edge(from).parent) way_.push_back(edge(from).action);
    work_ = *state(from);
    if (way_.empty()) return;
    for (size_t i = way_.size(); i-- > 0;) step(work_, way_[i]);
    if constexpr (GrowsInPlace<P>) problem_.trial_begins();
    keep(node, std::make_unique<State>(work_));
  }

  void simulate(MctsRollout<P>& r, uint32_t depth) {
    double cost = r.cost, factor = std::pow(options_.discount, depth), reward = 0;
    candidates_ = all_actions(work_);
    for (uint32_t i = 0; i < options_.depth && !candidates_.empty() && !is_end(work_);) {
      const size_t k = draw(candidates_, rng_);
      const Action action = candidates_[k];
      candidates_[k] = candidates_.back();
      candidates_.pop_back();
      if (!may_apply(work_, action)) continue;
      ++i;
      const uint64_t key = problem_.key(work_);
      step(work_, action);
      if (problem_.key(work_) != key) {
        r.simulated.push_back(action);
        const double next = problem_.cost(work_);
        reward += factor * std::max(cost - next, 0.0);
        cost = next;
        r.met.emplace_back(cost, r.simulated.size());
        candidates_ = all_actions(work_);
      }
      factor *= options_.discount;
    }
    r.reward += reward;
  }

  P& problem_;
  const MctsOptions& options_;
  Rng& rng_;
  State work_;
  std::vector<std::unique_ptr<State>> states_;  ///< by node; null where another worker made it, or nobody
  std::unordered_set<uint64_t> known_;          ///< keys of these, with `transpositions`
  std::vector<Action> candidates_, way_;
  uint64_t applications_ = 0;
};

}  // namespace isomer::search
