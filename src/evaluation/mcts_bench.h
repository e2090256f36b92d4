// The evaluation of Hartmann, He and Yoneki (PACT 2024) run again: each start graph under each device
// profile, TENSAT's recipe and the five pairs of main and final extraction over several seeds, and ours
// beside. Each run is one record.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/bench_rules.h"
#include "published/mcts.h"
#include "recipes/mcts.h"

namespace isomer::evaluation {

struct MctsBenchOptions {
  std::vector<std::string>
      models;  ///< names of published::mcts::models(), or files; empty: all that there is a graph of
  std::vector<std::string> devices;  ///< profiles: a100, p100
  /// default/default, default/ilp, ours/ours, ours/ilp, ilp/ilp, tensat, and our own: corrected/ilp (the
  /// paper's search, rewards by the corrected cost function), plus (mcts_plus), blocks (the same
  /// on one of repeated blocks: repeated_blocks.h), larger (TENSAT's recipe with 25 times the nodes and at
  /// least three multi-pattern steps: what more room would bring), beam, random, annealing (over the same
  /// problem, rewards by the corrected cost function, exact extraction of the best state met)
  std::vector<std::string> approaches;
  std::string graphs;  ///< folder of the nine .dag files; empty: of the source tree
  uint32_t budget = 128, depth = 10, seeds = 5;
  uint64_t first_seed = 1;
  size_t node_limit = 2000;
  uint32_t regions = 1;  ///< of plus: an action is a rule in one of so many parts of the program
  /// Of Monte Carlo tree searches (search/mcts.h); 0: the approach's own.
  uint32_t at_once = 0, trees = 0;
  bool reuse_tree = false;  ///< the tree is kept from step to step (ours always does)
  unsigned workers = 1;     ///< threads of a search; the result is the same with any number
  uint32_t k_multi = 0;     ///< of TENSAT; 0: the paper's for each model
  double final_seconds = 60;
  size_t tree = 0;         ///< nodes of the first step's search tree to be kept
  bool all_rules = false;  ///< NASRNN with all multi-pattern rules: the paper had one switched off
  BenchRules rules;
  std::vector<std::string> disable_rules;
  bool keep = false;  ///< runs keep their programs and pictures of their e-graphs
  bool check = true;  ///< each program found is compared with what it was found from (found_check.h)
  /// `plus` has priors from what the user's store holds of other models under the same profile when the bench
  /// begins. What was learned is part of a run's key (`inputs`).
  bool priors = false;
  bool learn = false;  ///< `plus` keeps in the store what its rules brought, for benches to come
  StopToken stop;
  /// Asked before each run: one that is there already is not run again.
  std::function<bool(const struct MctsBenchKey&)> known;
};

/// A start graph: its name as the tables have it, the file, and the word that it was asked for by.
struct MctsModel {
  std::string name, file, word;
};
/// The models of the options. Throws UsageError where a file of a named one is missing.
std::vector<MctsModel> mcts_files(const MctsBenchOptions& options);
/// The rules that a model is optimised with.
rewrite::RuleSet mcts_rules(const ir::OpTable& ops, const MctsBenchOptions& options,
                            const std::string& model);
/// A hash of what a run depends on beside its settings, its seed and its priors: start graph, operators'
/// costs, rules.
std::string mcts_inputs(const MctsModel& model, const std::string& device, const MctsBenchOptions& options);

/// Values that are tried one after the other, each with each of the others. What an approach does not depend
/// on is not swept for it.
struct MctsBenchAxes {
  std::vector<uint32_t> budget, depth, k_multi, regions, at_once, trees;
  std::vector<size_t> node_limit;
  std::vector<BenchRules> rules;
};
std::vector<MctsBenchOptions> sweep(const MctsBenchOptions& options, const MctsBenchAxes& axes);

/// What tells runs apart: those with the same key come to the same result.
struct MctsBenchKey {
  std::string model, device, approach;
  uint64_t seed = 0;
  /// The options that a run of this approach depends on, as far as they are not the defaults, as flags.
  std::string settings;
  std::string inputs;  ///< a hash of the start graph, its operators' costs, the rules and the priors

  auto operator<=>(const MctsBenchKey&) const = default;
};

/// What a run began with and came to. Programs as printed (`isomer graph show` reads them).
struct MctsBenchKept {
  std::string input, output;
  SearchRecord search;
};

struct MctsBenchRun : MctsBenchKey {
  double start_cost = 0, cost = 0;
  double search_seconds = 0, final_seconds = 0;  ///< CPU
  size_t nodes = 0;
  uint64_t rollouts = 0, applications = 0;
  std::string stop_reason;
  bool optimal = false;
  double bound = 0;  ///< tensat, larger: no program in its e-graph costs less; 0: not known
  /// Where it was checked: how far results are apart at most, relative to the largest value; or why it could
  /// not be run.
  std::optional<double> error{};
  std::string unchecked{};
  std::string same{};  ///< the comparison in words; empty: none was asked for
  bool differs = false;
  std::vector<recipes::MctsRunResult::Step> steps;
  std::vector<search::MctsTreeNode<uint32_t>> tree;
  std::map<uint32_t, uint64_t> rules;           ///< the paper's number -> how often it was applied
  std::shared_ptr<const MctsBenchKept> kept{};  ///< where it was asked for; not of beam and annealing
  double speedup() const { return 100 * (1 - cost / start_cost); }
};

struct MctsBenchFirst {
  std::string model, device;
  recipes::FirstCosts costs;
};

/// All approaches, those of the paper first.
const std::vector<std::string>& mcts_approaches();
/// The names whose graphs are there, in the paper's order.
std::vector<std::string> mcts_models(const MctsBenchOptions& options);

/// One run, and the words of the command line that does it alone.
struct MctsBenchTask {
  MctsBenchKey key;
  std::string file;           ///< of the start graph
  recipes::LearnedFrom from;  ///< what is learned in it is of
  std::vector<recipes::RuleStatistics> experience;
  std::vector<std::string> words;
};
/// In the order in which they are run. Throws InputError, UsageError.
std::vector<MctsBenchTask> plan(const MctsBenchOptions& options);

/// Does what is planned. Calls `first` (if any) once for each model and device, `done` after each run (not
/// after one that `stop` cut short). Throws InputError, UsageError.
void run_mcts_bench(const MctsBenchOptions& options, const std::function<void(const MctsBenchFirst&)>& first,
                    const std::function<void(const MctsBenchRun&)>& done);

}  // namespace isomer::evaluation
