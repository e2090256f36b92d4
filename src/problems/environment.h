// Growing an e-graph as an environment for reinforcement learning (after MCTS-GEB, He, Singh and Yoneki,
// 2023, and X-RLflow, He, Singh and Yoneki, 2023, which rewrites graphs): an action applies one rule wherever
// it matches, the reward is what it brings. Several episodes go on side by side over one problem. What is
// worked out once there (right sides, prices) holds for all of them, and so do transitions: what an action
// led to is kept by the path from the start, so that the first steps of episodes, which all have in common,
// are looked up. By the path, not by the order-free key of the e-graph: greedy costs may depend on the order
// of steps, and a step must give the same whatever other episodes did.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "problems/build_egraph.h"

namespace isomer::problems {

struct EnvironmentOptions {
  uint32_t max_steps = 200;           ///< then an episode is truncated
  size_t cache_bytes = 256ull << 20;  ///< of states that are kept for their transitions; 0: none
  bool graph = false;                 ///< `graph` will be asked for
};

class Environment {
 public:
  /// `rules`: by action, the problem's own. The problem must outlive this, and be its alone.
  Environment(BuildEGraph& problem, std::vector<uint32_t> rules, size_t episodes, EnvironmentOptions options);
  ~Environment();

  size_t episodes() const;
  size_t actions() const { return rules_.size(); }

  void reset(size_t episode);
  struct Outcome {
    /// By how much the cheapest program met in this episode became cheaper, as a share of the start's cost:
    /// at least 0, and an episode's rewards sum up to what it gained.
    double reward = 0;
    bool terminated = false;  ///< no room is left, or no rule changes anything any more
    bool truncated = false;
  };
  /// An action that the mask excludes changes nothing and counts as a step. The episode must not have ended.
  /// Throws UsageError for an action that there is not.
  Outcome step(size_t episode, uint32_t action);

  double cost(size_t episode) const;
  double best(size_t episode) const;
  double start_cost() const;
  size_t nodes(size_t episode) const;  ///< as the limit counts
  const std::vector<uint32_t>& taken(size_t episode) const;

  // ---- what is observed; sizes: one episode's ----
  /// By rule: may be applied; steps in which it changed something, and in which it did not, as shares of
  /// max_steps; nodes that it added as a share of the limit; what it took off the cost as a share of the
  /// start's.
  static constexpr size_t kRuleColumns = 5;
  /// Nodes as the limit counts, e-nodes, e-classes, filtered e-nodes, and what the last step added, as shares
  /// of the limit; rules that may be applied, as a share of all; steps as a share of max_steps.
  static constexpr size_t kEGraphColumns = 7;
  /// Cost, least cost, and what the last step changed, as shares of the start's cost.
  static constexpr size_t kCostColumns = 3;
  void observe(size_t episode, std::span<float> rules, std::span<float> egraph, std::span<float> cost) const;
  /// 1: the rule is represented, and has not been found to change nothing in this state.
  void mask(size_t episode, std::span<int8_t> out) const;
  /// The usable e-nodes in order, cut off where the room ends: operator, class (numbered from 0), 1 if it is
  /// the one that the extraction picks in its class; prices; and for each child a pair of node and class.
  /// Returns how many nodes and edges there are. -1 (prices: 0) fills the rest. Only with the option `graph`.
  std::pair<size_t, size_t> graph(size_t episode, std::span<int32_t> nodes, std::span<float> prices,
                                  std::span<int32_t> edges) const;

  struct Exact {
    double cost = 0, bound = 0;
    bool optimal = false;
  };
  /// The cheapest program in an episode's e-graph, by the exact extraction.
  Exact extract(size_t episode, double seconds);

  struct Statistics {
    uint64_t steps = 0, looked_up = 0;
    size_t states = 0, bytes = 0;  ///< kept
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  struct Known;
  struct Episode;
  struct Memory;
  std::shared_ptr<Known> follow(Known& from, uint32_t action);
  void summarize(Known& known);
  void tidy();
  void forget();
  bool open(const Episode& e, size_t action) const;

  BuildEGraph& problem_;
  std::vector<uint32_t> rules_;
  EnvironmentOptions options_;
  std::unique_ptr<Memory> memory_;  ///< outlives what is known
  std::shared_ptr<Known> start_;
  std::vector<Episode> episodes_;
  size_t forget_at_ = 0, tidy_at_ = 0;  ///< bytes
  Statistics statistics_;
};

}  // namespace isomer::problems
