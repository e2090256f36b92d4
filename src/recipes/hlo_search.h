// Deciding HLO passes by a search (HloEnv, sections 3 and 5): a module, passes, a search and an evaluator in;
// the cheapest module that was met out. Every search is told of pick-first's way first, and what is timed is
// timed again beside pick-first's module before it counts, so that none ends worse than it: published, f-MCTS
// lost to it on average (table 2, fusion of 20 to 40 instructions).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/module.h"
#include "machine/device.h"
#include "passes/pipeline.h"
#include "problems/decide_passes.h"
#include "recipes/found_check.h"
#include "recipes/hlo_confirm.h"
#include "runtime/xla_pool.h"
#include "support/limits.h"
#include "support/progress.h"
#include "support/store.h"

namespace isomer::recipes {

class HloEnv;

struct HloEvaluatorOptions {
  int threads = 1;                         ///< of XLA
  std::vector<std::string> disabled;       ///< passes of XLA that are left out
  int rounds = 10;                         ///< samples of each module
  double tolerance = 1e-4;                 ///< of outputs, as a part of the largest element
  uint64_t seed = 0;                       ///< of the inputs
  int workers = 1;                         ///< processes of XLA that time at once
  std::shared_ptr<runtime::XlaPool> pool;  ///< else one of so many workers is made
  std::shared_ptr<Store> store;            ///< where times are kept between runs; nothing is kept without one
  bool find_kept = true;                   ///< what is there counts; else all is timed anew, and kept
  StopToken stop;
};

/// "xla": what a call takes, in seconds, where `module` takes what it took when it was first timed: each is
/// timed beside it. What XLA does not run, or what computes something else, costs `kRefused` times as much
/// as `module`. What is kept is found again by the hashes of both modules, the processor, XLA's version and
/// all options that matter. "roofline:DEVICE" (machine/device.h): seconds by cost/hlo_analysis.h. Throws
/// UsageError that names what there is.
std::unique_ptr<problems::HloEvaluator> hlo_evaluator(const std::string& name, const hlo::Module& module,
                                                      const HloEvaluatorOptions& options);
/// Whether it times calls, as XLA's does; else it only computes a price.
bool times_calls(std::string_view evaluator);
/// Of "roofline:DEVICE"; null for another evaluator, or a device without a profile.
const machine::Device* roofline_device(const std::string& evaluator);
constexpr double kRefused = 100;

enum class HloSearch : uint8_t { kPickFirst, kRandom, kExhaustive, kBeam, kMcts, kExtraction };
/// kExtraction: the alternatives as an e-graph (problems/module_egraph.h), whose cheapest module by the
/// roofline of the evaluator's device (of `cpu` where it is XLA) is the next state, beside pick-first's.
/// Their words, for messages and help; which one a word is (UsageError for another); the word of one.
const std::vector<std::string>& hlo_searches();
HloSearch hlo_search_named(std::string_view word);
const std::string& word_of(HloSearch search);

/// A preset (passes::presets), else a file (passes/pipeline.h).
passes::Pipeline hlo_pipeline(const std::string& preset_or_file);
/// What the option that takes one says of itself.
std::string about_hlo_pipelines();
/// In the place of one: passes by name, or files of rules, that are decided and nothing else is run.
passes::Pipeline only_passes(const std::vector<std::string>& names);

struct HloSearchOptions {
  /// Its dry stage is decided, what stands before it has run on the start, and what stands after it runs on
  /// every module before that is costed. XLA leaves out what it is `without`.
  passes::Pipeline pipeline = only_passes({"algsimp"});
  HloSearch search = HloSearch::kMcts;
  std::string evaluator = "xla";
  HloEvaluatorOptions evaluation;
  uint64_t simulations = 400;  ///< of f-MCTS before its first step
  double alpha = 20;           ///< of the beam
  uint64_t expand = 64;        ///< of the beam: successors that a state may push
  uint64_t steps = 1000;       ///< of random walks
  uint64_t seed = 0;
  uint64_t evaluations = std::numeric_limits<uint64_t>::max();  ///< of different modules; a few more may be
  /// For f-MCTS, what a trained agent knows; where they are empty, priors are uniform and values are found by
  /// rollouts. A prior has for each choice the probabilities of its decisions (0: as it is); a value says how
  /// much cheaper the module can be made still, as a share of the start's cost. Both are asked once for each
  /// module of a tree; their exceptions pass through.
  std::function<std::vector<std::vector<double>>(const HloEnv&)> prior;
  std::function<double(const HloEnv&)> value;
  bool keep_ways = false;  ///< the result says what was decided
  bool check = true;  ///< what is found is held to the module, in a tenth of the time or 10 s, 2 s at least
  /// Where modules are timed, what was met counts once it is confirmed, in a fifth of the time or 20 s: it,
  /// the start and pick-first's module are timed 100 times in turn, and pick-first's is returned unless
  /// another one is faster beyond doubt. What there is no time for, or a stop ends, is not confirmed.
  bool confirm = true;
  Limits limits;
  ProgressSink* progress = &silent_progress();
};

struct HloSearchResult {
  hlo::Module module;               ///< the cheapest
  std::optional<FoundCheck> check;  ///< it, held to the start (hlo_check.h); none where it is the start, or
                                    ///< not asked for
  double cost_before = 0, cost_pick_first = 0, cost_after = 0;
  bool pick_first_at_rest = false;
  /// Of 100 calls in turn with pick-first's module (with the start, where XLA does not run that).
  struct Confirmed {
    /// Of what is returned, and of the cheapest that the search met, whether or not it is that. None where
    /// nothing was confirmed, or where XLA did not run it or it computed something else.
    std::optional<runtime::MedianInterval> speedup, of_cheapest;
    int evaluations = 0;                              ///< fewer than kHloEvaluations: nothing was confirmed
    StopReason stop_reason = StopReason::kSaturated;  ///< why they are fewer (HloCalls)
    bool is_complete() const { return evaluations >= kHloEvaluations; }
  };
  std::optional<Confirmed> confirmed;  ///< none where nothing is timed, or there is but one module
  /// What pick-first came to, and what it and the search decided, where ways are kept.
  struct Ways {
    hlo::Module pick_first;
    problems::DecisionWay of_pick_first, of_found;
  };
  std::optional<Ways> ways;
  uint64_t cheapest = 0;   ///< dag_hash of the cheapest by the evaluator alone, before it is confirmed
  uint64_t evaluated = 0;  ///< different modules
  /// Of them, those that were cheaper than all before.
  std::vector<problems::DecidePasses::Improvement> improvements;
  /// Of each state that a beam expanded, all joint actions (it lists up to 1,024).
  bool listed_all = true;
  StopReason stop_reason = StopReason::kRunning;
  double seconds = 0;
};

/// Throws UsageError for names that there are not, MissingRuntimeError where XLA is asked for and not there,
/// VerificationError where what is found is wrong.
HloSearchResult hlo_search(const hlo::Module& module, const HloSearchOptions& options);

}  // namespace isomer::recipes
