// Tensor programs optimised by an e-graph that Monte Carlo tree search builds (Hartmann, He and Yoneki,
// Optimizing Tensor Computation Graphs with Equality Saturation and Monte Carlo Tree Search, PACT 2024) as a
// recipe: search/mcts.h on problems/build_egraph.h, then one extraction. The paper's program is the default;
// `mcts_plus` is ours.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "extract/extract.h"
#include "problems/build_egraph.h"
#include "recipes/egraph_picture.h"
#include "recipes/rule_priors.h"
#include "rewrite/tensor_extract.h"
#include "search/mcts.h"

namespace isomer::recipes {

/// A rule by the paper's numbers: TENSAT's single-pattern rules 0 to 123, then the multi-pattern ones 124 to
/// 138; `rules` as tensat_rules has them (120 learned single, 13 learned multi, 4 + 2 written by hand). Rules
/// of other sets keep their places.
std::vector<uint32_t> paper_rule_numbers(const rewrite::RuleSet& rules);

struct MctsRunOptions {
  std::string cost = "roofline:a100";
  problems::Extraction main = problems::Extraction::kSharing;  ///< for rewards
  extract::Extractor final = extract::Extractor::kAuto;        ///< of the result
  search::MctsOptions search;
  size_t node_limit = 2000;  ///< in TENSAT's counting
  uint32_t regions = 1;      ///< an action is a rule in one of so many parts of the program
  uint32_t trees = 1;        ///< that vote on each step
  unsigned workers = 1;      ///< threads; the result is the same with any number
  uint64_t seed = 1;
  double final_seconds = 60;
  bool take_best = false;  ///< the result is the better of the last e-graph's and the best one's that was met
  /// Most searches, each from the program that the one before found (its weights folded, and room for as many
  /// e-nodes again), while that makes it cheaper.
  uint32_t rounds = 1;
  /// Told of each round: the program that it began with, and what it found, in the weights of the former.
  std::function<void(const ir::Graph& from, const ir::Graph& found)> found{};
  EGraphViewer watch{};  ///< the first round's e-graphs; the last call shows the one that the result is from
  std::vector<RuleStatistics> experience{};  ///< of earlier searches: priors are made of them
  RuleStatistics* statistics = nullptr;      ///< what the rules brought in this one is added to it
};

/// The search that is ours (search/mcts.h), rewards by the corrected cost function.
MctsRunOptions mcts_plus();

struct MctsRunResult {
  double start_cost = 0, cost = 0;  ///< of the program before and after
  bool optimal = false;             ///< the extraction is proved
  ir::Graph graph;
  struct Step {
    uint32_t rule;     ///< the paper's number
    std::string name;  ///< with the region, where there are several
    double cost;       ///< by the main extraction, after it
    size_t nodes;      ///< of the e-graph, as the limit counts
    uint64_t rollouts;
    double cpu_seconds;  ///< since the first search began
  };
  std::vector<Step> steps{};
  /// What led to the e-graph that the result was extracted from, as places in the rule set (with regions:
  /// problems/build_egraph.h); the first round's.
  std::vector<uint32_t> actions{};
  /// Of the first round's first step (search.keep_tree); actions are the paper's numbers.
  std::vector<search::MctsTreeNode<uint32_t>> tree{};
  size_t nodes = 0;  ///< of the last e-graph of the first round
  uint32_t rounds = 0;
  uint64_t rollouts = 0, applications = 0;
  StopReason stop_reason = StopReason::kRunning;
  double search_seconds = 0, final_seconds = 0;  ///< CPU, of all threads
};

/// How the result is extracted from the last e-graph.
rewrite::ExtractOptions final_extraction(const MctsRunOptions& options);

MctsRunResult run_mcts(const ir::Graph& graph, const rewrite::RuleSet& rules, const MctsRunOptions& options);

/// What the extractions say of a program as it is: the first e-graph's cost (the paper's tables 1 and 3).
struct FirstCosts {
  double exact = 0, tree = 0, published = 0, corrected = 0;
};
FirstCosts first_costs(const ir::Graph& graph, const std::string& cost);

}  // namespace isomer::recipes
