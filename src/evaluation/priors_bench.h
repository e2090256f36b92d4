// Whether priors of rules (rule_priors.h) bring anything: each start graph searched with priors learned on
// all the others, and without any, by the same seeds and few rollouts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluation/mcts_bench.h"
#include "recipes/found_check.h"
#include "support/store.h"

namespace isomer::evaluation {

struct PriorsBenchOptions {
  std::vector<std::string> models;  ///< as in MctsBenchOptions; empty: all nine
  std::string device = "a100";
  uint32_t budget = 8;            ///< rollouts before each step, of the runs that are compared
  uint64_t rollouts = 512;        ///< of a run
  uint32_t learning_budget = 32;  ///< before each step, of the runs that are learned from
  uint32_t seeds = 5;             ///< 1, 2, ...: learning has seed 0
  size_t node_limit = 2000;
  BenchRules rules;
  bool check = true;  ///< the programs found are compared with their start graphs
  StopToken stop;
};

struct PriorsBenchRun {
  std::string model;
  uint64_t seed = 0;
  bool with_priors = false;
  double start_cost = 0;  ///< by the corrected cost function, as are the others
  std::vector<std::pair<uint64_t, double>> improvements;  ///< rollout, cost
  uint64_t rollouts = 0;
  double cpu_seconds = 0;
  std::optional<recipes::FoundCheck> check{};  ///< of the cheapest program in the best e-graph met

  /// The best met within so many rollouts.
  double cost_after(uint64_t rollouts) const;
  /// Rollouts until a cost not above this (up to rounding) was met; nothing if it was not.
  std::optional<uint64_t> rollouts_to(double cost) const;
};

/// First searches each model once and keeps what its rules brought in the store, then calls `done` for each
/// model and seed without priors and with. Throws InputError, UsageError.
void run_priors_bench(const PriorsBenchOptions& options, Store& store,
                      const std::function<void(const PriorsBenchRun&)>& done);

}  // namespace isomer::evaluation
