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
// With `transpositions` an action that leads to a state of another node is closed: what follows is looked for
// there. (Childs, Brodeur and Kocsis, 2008, let nodes share what they learn; here rewards depend on the state
// alone, and one node is enough.) Each worker knows the states that it made itself.
// Whatever the options, the best state that was ever met is kept, those of simulations included.
//
// Several threads may grow one tree (tree parallelisation: Chaslot, Winands and van den Herik, 2008). Theirs
// share a tree under locks, so that no two runs are alike. Here `at_once` rollouts are chosen one after the
// other, each as if those before it were under way (they count as visits, but say nothing yet: Liu et al.,
// Watch the Unobserved, 2020), done by as many workers, and entered in the order in which they were chosen.
// The result depends on the seed and on `at_once`, not on how many threads the workers have.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/mcts_worker.h"
#include "support/crew.h"
#include "support/errors.h"
#include "support/limits.h"

namespace isomer::search {

template <Problem P>
class Mcts {
 public:
  using State = typename P::State;
  using Action = typename P::Action;

  /// A problem for each worker; they must be alike, and share nothing. All must outlive this.
  Mcts(std::span<P* const> problems, const MctsOptions& options, Rng& rng, Crew& crew)
      : options_(options), rng_(rng), crew_(crew) {
    REQUIRE(!problems.empty(), "a problem for each worker");
    const bool several = problems.size() > 1;
    for (P* problem : problems) {
      Rng& stream = several ? streams_.emplace_back(rng.split()) : rng;
      workers_.push_back(std::make_unique<MctsWorker<P>>(*problem, options_, stream));
    }
    Node& first = nodes_.emplace_back();
    first.cost = workers_[0]->problem().cost(*workers_[0]->state(0));
    first.untried = workers_[0]->untried(*workers_[0]->state(0));
    best_ = first.cost;
  }

  bool ended() { return workers_[0]->is_end(*workers_[0]->state(0)); }
  double root_cost() const { return nodes_[0].cost; }
  const State& root() const { return *workers_[0]->state(0); }
  uint64_t rollouts() const { return rollouts_; }
  uint64_t applications() const {
    uint64_t sum = 0;
    for (const auto& w : workers_) sum += w->applications();
    return sum;
  }
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
    if (has_untried(0)) return false;
    return std::ranges::all_of(nodes_[0].children, [&](uint32_t c) { return nodes_[c].saturated; });
  }

  /// Rollouts until the budget is used up or `watch` says stop.
  void search(LimitWatch& watch) {
    uint64_t done = 0, tried = 0;
    while (done < options_.budget && !closed()) {
      const auto together = std::min<uint64_t>(workers_.size(), options_.budget - done);
      done += round(together);
      tried += together;
      if (tried > 20 * uint64_t{options_.budget}) break;
      // `check` looks at the clock each 64th time, which is for single rollouts.
      const StopReason stop = workers_.size() > 1 ? watch.check_now(rollouts_) : watch.check(rollouts_);
      if (stop != StopReason::kRunning) return;
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
      if (nodes_[c].action == action && !nodes_[c].transposed) chosen = c;  // what was closed has no state
    std::vector<uint32_t> stay;                                             // by new number
    std::deque<Node> kept;
    if (chosen != 0 && options_.reuse_subtree)
      move_subtree(chosen, kept, stay);
    else if (chosen != 0)
      stay = {chosen};
    crew_.run(workers_.size(), [&](size_t w) { workers_[w]->take(action, stay); });
    if (kept.empty()) {
      const State& root = *workers_[0]->state(0);
      kept.emplace_back();
      kept[0].cost = chosen != 0 ? nodes_[chosen].cost : workers_[0]->problem().cost(root);
      kept[0].untried = workers_[0]->untried(root);
    }
    kept[0].owner = 0;  // all have it
    nodes_ = std::move(kept);
    least_ = std::numeric_limits<double>::infinity();
    most_ = 0;
    note(nodes_[0].cost, {}, 0);
  }

 private:
  struct Node : MctsEdge<Action> {
    std::vector<uint32_t> children;
    std::vector<Action> untried;
    double value = 0, top = 0;  ///< sum and greatest of rewards
    double visits = 0;
    uint32_t under_way = 0;  ///< rollouts through here that have not ended
    uint32_t owner = 0;      ///< the worker that has the state
    bool saturated = false;
    bool transposed = false;  ///< saturated since another node of the tree has the state
  };

  double reward_of(const Node& n) const {
    if (n.visits == 0) return 0;
    return options_.by_best ? n.top : n.value / n.visits;
  }
  double worth(const Node& n) const {
    const double w = reward_of(n);
    if (!options_.relative) return w;
    return most_ > least_ ? (w - least_) / (most_ - least_) : 0;
  }
  static double visits(const Node& n) { return n.visits + n.under_way; }
  double ucb1(const Node& n, double parent_visits) const {
    return worth(n) + options_.exploration * std::sqrt(std::log(std::max(parent_visits, 1.0)) / visits(n));
  }
  /// Prunes until the last of the untried is one that may be applied.
  bool has_untried(uint32_t node) {
    Node& n = nodes_[node];
    MctsWorker<P>& owner = *workers_[n.owner];
    while (!n.untried.empty()) {
      const size_t i = owner.draw(n.untried, rng_);
      std::swap(n.untried[i], n.untried.back());
      if (owner.may_apply(*owner.state(node), n.untried.back())) return true;
      n.untried.pop_back();
    }
    return false;
  }
  /// Where the selection ends: a node, and whether it is to be expanded.
  std::pair<uint32_t, bool> select() {
    uint32_t at = 0;
    for (;;) {
      Node& node = nodes_[at];
      const bool may_expand = has_untried(at);
      uint32_t chosen = 0, open = 0;
      double highest = -std::numeric_limits<double>::infinity();
      for (uint32_t c : node.children) {
        if (nodes_[c].saturated) continue;
        ++open;
        if (nodes_[c].visits == 0) continue;  // its first rollout is under way
        const double u = ucb1(nodes_[c], visits(node));
        if (u > highest) {
          highest = u;
          chosen = c;
        }
      }
      if (chosen == 0) return {at, may_expand};
      if (may_expand) {
        const bool wide = options_.widening > 0 && open < options_.widening * std::sqrt(visits(node) + 1);
        if (options_.widening > 0 ? wide : rng_.chance(options_.stop)) return {at, true};
      }
      at = chosen;
    }
  }

  /// So many rollouts at a time. How many of them count.
  uint64_t round(size_t together) {
    rollouts_at_once_.resize(together);
    for (MctsRollout<P>& r : rollouts_at_once_) choose(r);
    deal();
    crew_.run(together, [&](size_t i) {
      workers_[dealt_[i]]->play(rollouts_at_once_[i],
                                [this](uint32_t n) -> const Node& { return nodes_[n]; });
    });
    uint64_t counted = 0;
    for (size_t i = 0; i < together; ++i) {
      counted += enter(rollouts_at_once_[i], dealt_[i]) || options_.count_void;
      ++rollouts_;
    }
    return counted;
  }
  void choose(MctsRollout<P>& r) {
    const auto [at, expands] = select();
    r.at = at;
    r.made = 0;
    if (expands) {
      r.made = static_cast<uint32_t>(nodes_.size());
      Node& child = nodes_.emplace_back();
      Node& parent = nodes_[at];
      r.action = child.action = parent.untried.back();
      parent.untried.pop_back();
      parent.children.push_back(r.made);
      child.parent = at;
      child.depth = parent.depth + 1;
    }
    for_each_above(last(r), [](Node& n) { ++n.under_way; });
  }
  /// A worker for each rollout; if it can be, the one that has the state where it begins.
  void deal() {
    constexpr uint32_t kNobody = 0xFFFFFFFFu;
    dealt_.assign(rollouts_at_once_.size(), kNobody);
    taken_workers_.assign(workers_.size(), 0);
    for (size_t i = 0; i < dealt_.size(); ++i) {
      const uint32_t at = rollouts_at_once_[i].at, owner = nodes_[at].owner;
      if (at == 0 || taken_workers_[owner] != 0) continue;
      dealt_[i] = owner;
      taken_workers_[owner] = 1;
    }
    uint32_t next = 0;
    for (uint32_t& worker : dealt_) {
      if (worker != kNobody) continue;
      while (taken_workers_[next] != 0) ++next;
      worker = next++;
    }
  }
  static uint32_t last(const MctsRollout<P>& r) { return r.made != 0 ? r.made : r.at; }
  template <class F>
  void for_each_above(uint32_t node, F&& f) {
    for (;; node = nodes_[node].parent) {
      f(nodes_[node]);
      if (node == 0) break;
    }
  }

  /// False if it led to nothing new.
  bool enter(MctsRollout<P>& r, uint32_t worker) {
    const uint32_t at = last(r);
    for_each_above(at, [](Node& n) { --n.under_way; });
    if (r.made != 0) {
      Node& child = nodes_[at];
      child.saturated = !r.news();
      child.transposed = r.transposed;
      child.cost = r.cost;
      child.gain = r.gain;
      child.untried = std::move(r.untried);
      child.owner = worker;
      if (r.state) workers_[worker]->keep(at, std::move(r.state));
    }
    if (!r.news() && !options_.count_void) return false;
    note(nodes_[at].cost, {}, at);
    for (const auto& [cost, steps] : r.met) note(cost, std::span(r.simulated).first(steps), at);
    if constexpr (HasPriors<P>) {
      path_ = r.simulated;
      for (uint32_t n = at; n != 0; n = nodes_[n].parent)
        if (!nodes_[n].saturated) path_.push_back(nodes_[n].action);
      workers_[0]->problem().rollout_ended(std::span<const Action>(path_), r.reward);
    }
    least_ = std::min(least_, r.reward);
    most_ = std::max(most_, r.reward);
    for_each_above(at, [&](Node& n) {
      n.value += r.reward;
      n.top = std::max(n.top, r.reward);
      ++n.visits;
    });
    return r.news();
  }

  void note(double cost, std::span<const Action> simulated, uint32_t at) {
    if (cost >= best_ - 1e-12 * std::abs(best_)) return;
    best_ = cost;
    improvements_.push_back({rollouts_ + 1, cost});
    best_actions_.assign(simulated.rbegin(), simulated.rend());
    for (; at != 0; at = nodes_[at].parent) best_actions_.push_back(nodes_[at].action);
    best_actions_.insert(best_actions_.end(), taken_.rbegin(), taken_.rend());
    std::ranges::reverse(best_actions_);
  }

  /// `stay`: what the nodes that are kept were before.
  void move_subtree(uint32_t top, std::deque<Node>& kept, std::vector<uint32_t>& stay) {
    const double gain = nodes_[top].gain;
    const uint32_t depth = nodes_[top].depth;
    stay = {top};
    std::vector<uint32_t> parents{0};
    for (uint32_t i = 0; i < stay.size(); ++i) {
      Node& n = kept.emplace_back(std::move(nodes_[stay[i]]));
      for (uint32_t c : n.children) {
        if (nodes_[c].transposed) {  // the node that has the state may not stay
          n.untried.push_back(nodes_[c].action);
          continue;
        }
        stay.push_back(c);
        parents.push_back(i);
      }
      n.children.clear();
      n.parent = parents[i];
      n.gain -= gain;
      n.depth -= depth;
      n.value -= gain * n.visits;
      n.top = std::max(n.top - gain, 0.0);
      if (i > 0) kept[n.parent].children.push_back(i);
    }
  }

  MctsOptions options_;
  Rng& rng_;
  Crew& crew_;
  std::deque<Rng> streams_;  ///< of the workers, where there are several
  std::vector<std::unique_ptr<MctsWorker<P>>> workers_;
  std::deque<Node> nodes_;  ///< the root first
  std::vector<MctsRollout<P>> rollouts_at_once_;
  std::vector<uint32_t> dealt_;  ///< the worker of each
  std::vector<uint8_t> taken_workers_;
  std::vector<Action> taken_, path_;
  double least_ = std::numeric_limits<double>::infinity(), most_ = 0;
  double best_ = 0;
  std::vector<Action> best_actions_;
  std::vector<Improvement> improvements_;
  uint64_t rollouts_ = 0;
};

}  // namespace isomer::search
