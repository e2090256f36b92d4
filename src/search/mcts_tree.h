// Monte Carlo tree search over any Problem (Kocsis and Szepesvari 2006; Coulom 2006), as Hartmann, He and
// Yoneki (2024, Algorithm 1) use it: before each step of the real state a tree of `budget` rollouts is grown
// from it, and the step is the child of the highest mean reward.
//
//   select      go down from the root; at each node stop with probability `stop`, else take the child of the
//               highest UCB1 value (equation 2);
//   expand      a random action that has not been tried; if it changes nothing the child is saturated: it is
//               never visited again;
//   simulate    up to `depth` random actions; after each the cost is looked at;
//   update      the reward is the sum of all improvements of the cost (equation 3), added on the way up.
//
// Equation 3 leaves open which cost the sum starts from. Here it is the root's: what the edges of the tree
// brought counts too, else an action would not be rewarded for what it does itself.
//
// The published search wastes most of its rollouts where the problem is deterministic: what it saw on the way
// is forgotten, void actions count, and the constant of UCB1 outweighs any reward of milliseconds. The
// options `widening`, `by_best`, `relative` and `count_void` make another search of it (mcts_plus), in which
// a node's worth is the best end that was seen below it, on a scale from the worst to the best seen, and
// nodes get children as they are visited more often (progressive widening: Coulom 2007, Chaslot et al. 2008).
// Whatever the options, the best state that was ever met is kept, those of simulations included.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/problem.h"
#include "support/limits.h"
#include "support/rng.h"

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
  Limits limits;                ///< iterations: steps; nodes: rollouts
};

template <class Action>
struct MctsStep {
  Action action;
  double cost = 0;  ///< after it
  uint64_t rollouts = 0;
  uint32_t children = 0, saturated = 0;  ///< of the root: tried actions, and those that changed nothing
  double worth = 0;                      ///< of the child that was taken
  double cpu_seconds = 0;                ///< of the calling thread, since the search began
};

/// A node of a tree as it stands, for pictures.
template <class Action>
struct MctsTreeNode {
  uint32_t parent = 0;  ///< its number; the root is 0, parents come before their children
  Action action{};      ///< that led to it
  double visits = 0, worth = 0, cost = 0;
  bool saturated = false;
};

template <Problem P>
class Mcts {
 public:
  using State = typename P::State;
  using Action = typename P::Action;

  Mcts(P& problem, const MctsOptions& options, Rng& rng)
      : problem_(problem), options_(options), rng_(rng), work_(problem.initial()) {
    nodes_.emplace_back(work_);
    nodes_[0].cost = problem_.cost(work_);
    fill(nodes_[0]);
    best_ = nodes_[0].cost;
  }

  bool ended() { return is_end(*nodes_[0].state); }
  double root_cost() const { return nodes_[0].cost; }
  const State& root() const { return *nodes_[0].state; }
  uint64_t rollouts() const { return rollouts_; }
  uint64_t applications() const { return applications_; }
  double best() const { return best_; }
  const std::vector<Action>& best_actions() const { return best_actions_; }
  /// Costs better than all before, and in which rollout (from 1) they were met.
  struct Improvement {
    uint64_t rollout;
    double cost;
  };
  const std::vector<Improvement>& improvements() const { return improvements_; }

  /// No action changes anything.
  bool closed() {
    if (has_untried(nodes_[0])) return false;
    return std::ranges::all_of(nodes_[0].children, [&](uint32_t c) { return nodes_[c].saturated; });
  }

  /// Rollouts until the budget is used up or `watch` says stop.
  void search(LimitWatch& watch) {
    uint64_t done = 0, tried = 0;
    while (done < options_.budget && !closed()) {
      const bool changed = rollout();
      done += changed || options_.count_void;
      ++rollouts_;
      if (++tried > 20 * uint64_t{options_.budget}) break;
      if (watch.check(rollouts_) != StopReason::kRunning) return;
    }
  }

  /// What the root's tree says of its actions, in the order in which they were tried; saturated ones left
  /// out. `worth` as a reward, also where options are `relative`.
  struct Opinion {
    Action action;
    double worth, visits;
  };
  std::vector<Opinion> opinions() const {
    std::vector<Opinion> out;
    for (uint32_t c : nodes_[0].children)
      if (const Node& n = nodes_[c]; !n.saturated) out.push_back({n.action, reward_of(n), n.visits});
    return out;
  }
  /// The most visited nodes, `most` or fewer: with a node all that were visited as often.
  std::vector<MctsTreeNode<Action>> picture(size_t most) const {
    std::vector<double> visits;
    for (const Node& n : nodes_) visits.push_back(n.visits);
    std::ranges::sort(visits, std::greater<>());
    const double below = visits.size() > most ? visits[most] : -1;
    std::vector<uint32_t> number(nodes_.size(), 0);
    std::vector<MctsTreeNode<Action>> out;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& n = nodes_[i];
      if (i > 0 && n.visits <= below) continue;  // a parent has at least its child's visits
      number[i] = static_cast<uint32_t>(out.size());
      out.push_back({number[n.parent], n.action, n.visits, reward_of(n), n.cost, n.saturated});
    }
    return out;
  }
  MctsStep<Action> summary() const {
    MctsStep<Action> s{};
    for (uint32_t c : nodes_[0].children) {
      ++s.children;
      s.saturated += nodes_[c].saturated;
    }
    return s;
  }

  /// Takes a step.
  void take(const Action& action) {
    taken_.push_back(action);
    uint32_t chosen = 0;
    for (uint32_t c : nodes_[0].children)
      if (nodes_[c].action == action) chosen = c;
    std::deque<Node> kept;
    if (chosen == 0) {
      work_ = *nodes_[0].state;
      step(work_, action);
      kept.emplace_back(work_);
      kept[0].cost = problem_.cost(work_);
      fill(kept[0]);
    } else if (options_.reuse_subtree) {
      move_subtree(chosen, kept);
    } else {
      kept.emplace_back(std::move(*nodes_[chosen].state));
      kept[0].cost = nodes_[chosen].cost;
      fill(kept[0]);
    }
    nodes_ = std::move(kept);
    least_ = std::numeric_limits<double>::infinity();
    most_ = 0;
    if constexpr (GrowsInPlace<P>)
      if (nodes_.size() == 1) problem_.keep_only(*nodes_[0].state);
    note(nodes_[0].cost, {}, 0);
  }

 private:
  struct Node {
    Node() = default;
    explicit Node(State s) : state(std::move(s)) {}
    std::optional<State> state;  ///< none where saturated
    Action action{};
    uint32_t parent = 0;
    std::vector<uint32_t> children;
    std::vector<Action> untried;
    double cost = 0, gain = 0;  ///< gain: improvements from the root to here
    double value = 0, top = 0;  ///< sum and greatest of rewards
    double visits = 0;
    uint32_t depth = 0;
    bool saturated = false;
  };

  bool is_end(const State& s) {
    if constexpr (GrowsInPlace<P>) return problem_.ended(s);
    return false;
  }
  void fill(Node& n) {
    if (is_end(*n.state)) return;
    if constexpr (GrowsInPlace<P>)
      n.untried = problem_.all_actions();
    else
      n.untried = problem_.actions(*n.state);
  }
  bool may_apply(State& s, const Action& a) {
    if constexpr (GrowsInPlace<P>) return problem_.may_apply(s, a);
    return true;
  }
  void step(State& s, const Action& a) {
    ++applications_;
    if constexpr (GrowsInPlace<P>)
      problem_.advance(s, a);
    else
      s = problem_.step(s, a);
  }

  double reward_of(const Node& n) const {
    if (n.visits == 0) return 0;
    return options_.by_best ? n.top : n.value / n.visits;
  }
  double worth(const Node& n) const {
    const double w = reward_of(n);
    if (!options_.relative) return w;
    return most_ > least_ ? (w - least_) / (most_ - least_) : 0;
  }
  double ucb1(const Node& n, double parent_visits) const {
    if (n.visits == 0) return std::numeric_limits<double>::infinity();
    return worth(n) + options_.exploration * std::sqrt(std::log(std::max(parent_visits, 1.0)) / n.visits);
  }
  /// A random one, by the problem's priors if it has any.
  size_t draw(const std::vector<Action>& among) {
    if constexpr (HasPriors<P>) {
      if (problem_.has_priors())
        for (;;) {
          const size_t i = rng_.below(among.size());
          if (rng_.uniform() < problem_.prior(among[i])) return i;
        }
    }
    return rng_.below(among.size());
  }
  /// Prunes until the last of the untried is one that may be applied.
  bool has_untried(Node& n) {
    while (!n.untried.empty()) {
      const size_t i = draw(n.untried);
      std::swap(n.untried[i], n.untried.back());
      if (may_apply(*n.state, n.untried.back())) return true;
      n.untried.pop_back();
    }
    return false;
  }
  /// Where the selection ends: a node, and whether it is to be expanded.
  std::pair<uint32_t, bool> select() {
    uint32_t at = 0;
    for (;;) {
      Node& node = nodes_[at];
      const bool may_expand = has_untried(node);
      uint32_t chosen = 0, open = 0;
      double highest = -std::numeric_limits<double>::infinity();
      for (uint32_t c : node.children) {
        if (nodes_[c].saturated) continue;
        ++open;
        const double u = ucb1(nodes_[c], node.visits);
        if (u > highest) {
          highest = u;
          chosen = c;
        }
      }
      if (open == 0) return {at, may_expand};
      if (may_expand) {
        const bool wide = options_.widening > 0 && open < options_.widening * std::sqrt(node.visits + 1);
        if (options_.widening > 0 ? wide : rng_.chance(options_.stop)) return {at, true};
      }
      at = chosen;
    }
  }

  /// False if it changed nothing.
  bool rollout() {
    if constexpr (GrowsInPlace<P>) problem_.trial_begins();
    const auto [selected, expands] = select();
    uint32_t at = selected;
    bool changed = true;
    if (expands) {
      Node& parent = nodes_[at];
      const Action action = parent.untried.back();
      parent.untried.pop_back();
      work_ = *parent.state;
      step(work_, action);
      changed = problem_.key(work_) != problem_.key(*parent.state);
      const auto made = static_cast<uint32_t>(nodes_.size());
      const double before = parent.cost, gain = parent.gain;
      const uint32_t depth = parent.depth + 1;
      parent.children.push_back(made);
      if constexpr (GrowsInPlace<P>)
        if (changed) problem_.trial_begins();  // what this state's costs refer to stays
      Node& child = changed ? nodes_.emplace_back(work_) : nodes_.emplace_back();
      child.action = action;
      child.parent = at;
      child.depth = depth;
      child.saturated = !changed;
      child.cost = changed ? problem_.cost(work_) : before;
      child.gain = gain + std::pow(options_.discount, depth - 1) * std::max(before - child.cost, 0.0);
      if (changed) fill(child);
      at = made;
    } else {
      work_ = *nodes_[at].state;
    }
    if (!changed && !options_.count_void) {
      if constexpr (GrowsInPlace<P>) problem_.trial_ended();
      return false;
    }
    simulated_.clear();
    note(nodes_[at].cost, simulated_, at);
    const double reward = nodes_[at].gain + (changed ? simulate(at) : 0);
    if constexpr (GrowsInPlace<P>) problem_.trial_ended();
    if constexpr (HasPriors<P>) {
      path_ = simulated_;
      for (uint32_t n = at; n != 0; n = nodes_[n].parent)
        if (!nodes_[n].saturated) path_.push_back(nodes_[n].action);
      problem_.rollout_ended(std::span<const Action>(path_), reward);
    }
    least_ = std::min(least_, reward);
    most_ = std::max(most_, reward);
    for (;; at = nodes_[at].parent) {
      Node& n = nodes_[at];
      n.value += reward;
      n.top = std::max(n.top, reward);
      ++n.visits;
      if (at == 0) break;
    }
    return changed;
  }

  double simulate(uint32_t from) {
    double cost = nodes_[from].cost, reward = 0;
    double factor = std::pow(options_.discount, nodes_[from].depth);
    std::vector<Action> candidates;
    const auto refill = [&] {
      if constexpr (GrowsInPlace<P>)
        candidates = problem_.all_actions();
      else
        candidates = problem_.actions(work_);
    };
    refill();
    for (uint32_t i = 0; i < options_.depth && !candidates.empty() && !is_end(work_);) {
      const size_t k = draw(candidates);
      const Action action = candidates[k];
      candidates[k] = candidates.back();
      candidates.pop_back();
      if (!may_apply(work_, action)) continue;
      ++i;
      const uint64_t key = problem_.key(work_);
      step(work_, action);
      if (problem_.key(work_) != key) {
        simulated_.push_back(action);
        const double next = problem_.cost(work_);
        reward += factor * std::max(cost - next, 0.0);
        cost = next;
        note(cost, simulated_, from);
        refill();
      }
      factor *= options_.discount;
    }
    return reward;
  }

  void note(double cost, const std::vector<Action>& simulated, uint32_t at) {
    if (cost >= best_ - 1e-12 * std::abs(best_)) return;
    best_ = cost;
    improvements_.push_back({rollouts_ + 1, cost});
    best_actions_.assign(simulated.rbegin(), simulated.rend());
    for (; at != 0; at = nodes_[at].parent) best_actions_.push_back(nodes_[at].action);
    best_actions_.insert(best_actions_.end(), taken_.rbegin(), taken_.rend());
    std::ranges::reverse(best_actions_);
  }

  void move_subtree(uint32_t top, std::deque<Node>& kept) {
    const double gain = nodes_[top].gain;
    const uint32_t depth = nodes_[top].depth;
    std::vector<std::pair<uint32_t, uint32_t>> queue{{top, 0}};  // old number, new parent
    for (size_t i = 0; i < queue.size(); ++i) {
      const auto [old, parent] = queue[i];
      Node& n = kept.emplace_back(std::move(nodes_[old]));
      for (uint32_t c : n.children) queue.emplace_back(c, static_cast<uint32_t>(i));
      n.children.clear();
      n.parent = parent;
      n.gain -= gain;
      n.depth -= depth;
      n.value -= gain * n.visits;
      n.top = std::max(n.top - gain, 0.0);
      if (i > 0) kept[parent].children.push_back(static_cast<uint32_t>(i));
    }
  }

  P& problem_;
  MctsOptions options_;
  Rng& rng_;
  State work_;
  std::deque<Node> nodes_;  ///< the root first
  std::vector<Action> taken_, simulated_, path_;
  double least_ = std::numeric_limits<double>::infinity(), most_ = 0;
  double best_ = 0;
  std::vector<Action> best_actions_;
  std::vector<Improvement> improvements_;
  uint64_t rollouts_ = 0, applications_ = 0;
};

}  // namespace isomer::search
