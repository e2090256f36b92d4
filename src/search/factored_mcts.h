// Factorized Monte Carlo tree search: HloEnv's f-MCTS (section 3.2, appendices C.3 and D.4). A node of the
// tree keeps a marginal value and a number of visits for each option of each factor, not for each joint
// action; a simulation decides every factor by itself (PUCT, with the min-max normalised value) and the
// return of the whole path goes to all options that were taken. A search tree serves one real step.
//
// Three formulas of the paper are misprinted and read as follows: the mean is Q := (N Q + G) / (N + 1); the
// return sums from tau = 0 (the reward of the step itself counts); statistics are updated for k from l - 1 to
// 0 (the leaf has taken no action). What it leaves open is decided so: options of equal score are drawn; a
// real step takes each factor's most visited option; a path that closes a cycle is worth nothing beyond what
// it earned; the search ends when the step taken does nothing or leads to a state that was there before; the
// discount is 1. States are shared within a tree by their key, as there.
//
// Two things are ours. A return counts what follows only as far as it is a gain (`may_stop`), since one may
// stop where one is. Without it, where most ways lead to the same end, all actions look alike: the rewards of
// a path add up to the difference between its ends. And what urges to explore is drawn anew for each option
// within a factor of 1 +- `jitter`: otherwise factors of like values change their options in step, and
// most joint actions are never seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/factored.h"
#include "support/limits.h"
#include "support/rng.h"

namespace isomer::search {

template <FactoredProblem P>
struct FactoredMctsOptions {
  uint64_t simulations = 400;       ///< before the first step
  uint64_t least_simulations = 50;  ///< their number is halved with each step, down to this
  double c1 = 1.25, c2 = 19652;     ///< of PUCT
  double discount = 1;
  uint64_t rollouts = 5, rollout_length = 10;  ///< of a leaf's value
  uint64_t most_steps = 100;                   ///< real ones
  bool may_stop = true;                        ///< false: as published
  double jitter = 0.5;                         ///< 0: as published
  /// What a state is worth beyond its own cost (how much cheaper it can be made); empty: the mean of random
  /// rollouts.
  std::function<double(P&, const typename P::State&, Rng&)> value;
  /// For each factor the probabilities of its options; empty: uniform.
  std::function<std::vector<std::vector<double>>(P&, const typename P::State&)> prior;
  Limits limits;  ///< iterations: simulations of all trees
};

template <FactoredProblem P>
struct FactoredMctsResult {
  typename P::State last;  ///< where the steps lead
  double last_cost = 0;
  std::vector<Decisions> steps{};
  typename P::State best;  ///< the cheapest state of all that were met, in rollouts too
  double cost = 0;         ///< its
  uint64_t simulations = 0, states = 1;
  StopReason stop_reason = StopReason::kRunning;  ///< kSaturated: nothing more is done
};

template <FactoredProblem P>
class FactoredMcts {
 public:
  using State = typename P::State;

  FactoredMcts(P& problem, const FactoredMctsOptions<P>& options, Rng& rng,
               std::function<void(double, uint64_t)> improved = {})
      : p_(problem),
        options_(options),
        rng_(rng),
        improved_(std::move(improved)),
        watch_(options.limits),
        result_{problem.initial(), 0, {}, problem.initial()} {}

  FactoredMctsResult<P> run() {
    result_.last_cost = result_.cost = p_.cost(result_.last);
    std::unordered_set<uint64_t> been{p_.key(result_.last)};
    uint64_t budget = options_.simulations;
    while (result_.steps.size() < options_.most_steps) {
      clear();
      const size_t root = node_of(result_.last);
      if (nodes_[root].factors.empty()) return ended(StopReason::kSaturated);
      for (uint64_t i = 0; i < budget && running(); ++i) simulate(root);
      const Decisions decisions = most_visited(nodes_[root]);
      State next = p_.step(result_.last, decisions);
      // What was found before a limit was met is decided upon too, but no search goes on from there.
      if (does_nothing(decisions) || !been.insert(p_.key(next)).second)
        return ended(running() ? StopReason::kSaturated : result_.stop_reason);
      result_.last_cost = cost(next);
      result_.steps.push_back(decisions);
      result_.last = std::move(next);
      if (!running()) return ended(result_.stop_reason);
      budget = std::max(options_.least_simulations, budget / 2);
    }
    return ended(StopReason::kIterationLimit);
  }

 private:
  struct Factor {
    std::vector<double> visits, value, prior;  ///< by option
  };
  struct Node {
    State state;
    double cost = 0;
    std::vector<Factor> factors{};
    std::map<Decisions, size_t> next{};
  };
  struct Taken {
    size_t node;
    Decisions decisions;
  };

  bool running() {
    if (result_.stop_reason == StopReason::kRunning)
      result_.stop_reason = watch_.check_now(result_.states, result_.simulations + 1);
    return result_.stop_reason == StopReason::kRunning;
  }

  FactoredMctsResult<P> ended(StopReason reason) {
    result_.stop_reason = reason;
    return std::move(result_);
  }

  void clear() {
    nodes_.clear();
    known_.clear();
    least_ = std::numeric_limits<double>::infinity();
    most_ = -least_;
  }

  double cost(const State& state) {
    const double out = p_.cost(state);
    if (out < result_.cost) {
      result_.cost = out;
      result_.best = state;
      if (improved_) improved_(out, result_.simulations);
    }
    return out;
  }

  size_t node_of(const State& state) {
    const auto [at, is_new] = known_.try_emplace(p_.key(state), nodes_.size());
    if (!is_new) return at->second;
    ++result_.states;
    Node node{state, cost(state)};
    const std::vector<uint32_t> factors = p_.factors(state);
    const auto priors = options_.prior ? options_.prior(p_, state) : std::vector<std::vector<double>>{};
    for (size_t d = 0; d < factors.size(); ++d) {
      const size_t many = factors[d];
      node.factors.push_back(
          {std::vector<double>(many), std::vector<double>(many),
           d < priors.size() ? priors[d] : std::vector<double>(many, 1.0 / static_cast<double>(many))});
    }
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  void simulate(size_t root) {
    ++result_.simulations;
    std::vector<Taken> path;
    std::unordered_set<size_t> on_path{root};
    std::vector<double> rewards;
    double value = 0;
    for (size_t at = root; !nodes_[at].factors.empty();) {
      const Decisions decisions = select(nodes_[at]);
      const size_t before = nodes_.size();
      const size_t to = follow(at, decisions);
      path.push_back({at, decisions});
      rewards.push_back(nodes_[at].cost - nodes_[to].cost);
      if (!on_path.insert(to).second) break;
      if (to == before) {  // a new state
        value = value_of(nodes_[to].state);
        break;
      }
      at = to;
    }
    for (size_t k = path.size(); k-- > 0;) {
      if (options_.may_stop) value = std::max(value, 0.0);
      value = rewards[k] + options_.discount * value;
      update(nodes_[path[k].node], path[k].decisions, value);
    }
  }

  size_t follow(size_t at, const Decisions& decisions) {
    if (const auto known = nodes_[at].next.find(decisions); known != nodes_[at].next.end())
      return known->second;
    const size_t to = does_nothing(decisions) ? at : node_of(p_.step(nodes_[at].state, decisions));
    nodes_[at].next.emplace(decisions, to);
    return to;
  }

  void update(Node& node, const Decisions& decisions, double value) {
    for (size_t d = 0; d < decisions.size(); ++d) {
      double& visits = node.factors[d].visits[decisions[d]];
      double& mean = node.factors[d].value[decisions[d]];
      mean = (visits * mean + value) / (visits + 1);
      ++visits;
      least_ = std::min(least_, mean);
      most_ = std::max(most_, mean);
    }
  }

  double normalised(double value) const {
    return most_ > least_ ? std::clamp((value - least_) / (most_ - least_), 0.0, 1.0) : 0;
  }

  Decisions select(const Node& node) {
    Decisions out;
    for (const Factor& f : node.factors) {
      const double all = std::accumulate(f.visits.begin(), f.visits.end(), 0.0);
      const double weight = std::sqrt(all) * (options_.c1 + std::log((all + options_.c2 + 1) / options_.c2));
      out.push_back(largest(f.visits.size(), [&](size_t a) {
        const double drawn = options_.jitter > 0 ? 1 + options_.jitter * (2 * rng_.uniform() - 1) : 1;
        return normalised(f.value[a]) + drawn * f.prior[a] * weight / (1 + f.visits[a]);
      }));
    }
    return out;
  }

  Decisions most_visited(const Node& node) {
    Decisions out;
    for (const Factor& f : node.factors)
      out.push_back(largest(f.visits.size(), [&](size_t a) { return f.visits[a]; }));
    return out;
  }

  /// One of those of the largest score.
  template <class Score>
  uint32_t largest(size_t options, Score&& score) {
    std::vector<uint32_t> best;
    double most = -std::numeric_limits<double>::infinity();
    for (size_t a = 0; a < options; ++a) {
      const double of = score(a);
      if (of > most) best.clear();
      if (of >= most) best.push_back(static_cast<uint32_t>(a));
      most = std::max(most, of);
    }
    return best.size() == 1 ? best[0] : best[rng_.below(best.size())];
  }

  double value_of(const State& state) {
    if (options_.value) return options_.value(p_, state, rng_);
    if (options_.rollouts == 0) return 0;
    double sum = 0;
    for (uint64_t i = 0; i < options_.rollouts && running(); ++i) {
      const double gain = rollout(state);
      sum += options_.may_stop ? std::max(gain, 0.0) : gain;
    }
    return sum / static_cast<double>(options_.rollouts);
  }

  double rollout(const State& from) {
    State at = from;
    double before = p_.cost(from), out = 0, weight = 1;
    for (uint64_t i = 0; i < options_.rollout_length; ++i) {
      const std::vector<uint32_t> factors = p_.factors(at);
      if (factors.empty()) break;
      at = p_.step(at, random_decisions(factors, rng_));
      // Without a discount only the end counts.
      if (options_.discount == 1 && i + 1 < options_.rollout_length) continue;
      const double now = cost(at);
      out += weight * (before - now);
      weight *= options_.discount;
      before = now;
    }
    if (options_.discount == 1) out = p_.cost(from) - cost(at);
    return out;
  }

  P& p_;
  const FactoredMctsOptions<P>& options_;
  Rng& rng_;
  std::function<void(double, uint64_t)> improved_;
  LimitWatch watch_;
  FactoredMctsResult<P> result_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, size_t> known_;
  double least_ = 0, most_ = 0;
};

/// `improved(cost, simulations)` is told of every better state.
template <FactoredProblem P>
FactoredMctsResult<P> factored_mcts(P& problem, const FactoredMctsOptions<P>& options, Rng& rng,
                                    std::function<void(double, uint64_t)> improved = {}) {
  return FactoredMcts<P>(problem, options, rng, std::move(improved)).run();
}

}  // namespace isomer::search
