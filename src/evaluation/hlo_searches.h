// Table 2 of HloEnv (section 5) over data sets of sub-graphs: on each module searches decide what a pass
// proposes, and what they find is held to what the pass does by itself (pick-first), to what XLA's own pass
// would have done, and to random walks. The paper lets each search go on by its own settings and compares run
// times with XLA's; here the same runs are also read at equal numbers of evaluations, since a search that
// times more modules finds more. Where modules are timed, the least of many noisy times is no gain: searches
// confirm what they return (recipes/hlo_confirm.h), and that is timed again beside pick-first's module.
//
// XLA's own pass is, of fusions, our `fusion`, which decides as XLA's does (docs/hlo.md); of all others it is
// pick-first.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/keyed_record.h"
#include "recipes/hlo_search.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::evaluation {

/// What a run of all searches on a module depends on.
struct HloSearchesKey {
  std::string pass;
  uint64_t module = 0;   ///< hash of its graph
  std::string settings;  ///< the evaluator, the searches and their limits, the version of the passes
  auto operator<=>(const HloSearchesKey&) const = default;
};

/// A module that was met, and what it costs.
struct HloMet {
  uint64_t hash = 0;
  double seconds = 0;
};

struct HloSearchRun {
  std::string search;
  uint64_t seed = 0;
  HloMet found;  ///< where modules are timed: what was confirmed, else pick-first's module or the start
  uint64_t evaluated = 0;  ///< different modules
  bool ended = false;      ///< by itself, not by a limit, and had listed all actions
  std::string held;        ///< found, held to the module (recipes::Held)
  std::vector<problems::DecidePasses::Improvement> improvements;
  /// Where modules are timed, over pick-first's module by 100 calls in turn: the cheapest that was met (by
  /// the calls by which the search chose), and what was found (by further ones). None of what was not
  /// compared.
  std::optional<double> cheapest_again, found_again;
  uint64_t cheapest = 0;  ///< hash of the cheapest that was met, which `improvements` come to
};

struct HloSearchesModule : HloSearchesKey {
  std::string file;
  uint64_t instructions = 0;  ///< of the entry computation
  std::string error;          ///< the evaluator does not run it; empty: there are runs
  double start_seconds = 0;
  HloMet pick_first, reference;
  std::vector<HloSearchRun> runs;
};

/// Of table 2: a line for each module and pass.
class HloSearchesRecord : public KeyedRecord<HloSearchesKey, HloSearchesModule> {
 public:
  HloSearchesRecord();
};

struct HloSearchesOptions {
  std::vector<std::string> paths;
  std::vector<std::string> passes = {"algsimp", "general-fusion"};
  std::vector<std::string> searches = {"random", "beam", "exhaustive", "mcts"};
  std::string evaluator = "roofline:cpu";
  int seeds = 3;                                                ///< of what is random
  double seconds = 10;                                          ///< of a search on a module
  uint64_t evaluations = std::numeric_limits<uint64_t>::max();  ///< of a search on a module
  uint64_t count =
      std::numeric_limits<uint64_t>::max();  ///< modules of each size on which a pass proposes something
  double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
  StopToken stop;
  ProgressSink* progress = &silent_progress();
};

/// The sizes of HloEnv's data sets, 10 to 20 and 20 to 40 (of 20 it is the first), and what is outside, in
/// their order.
const std::vector<std::string>& hlo_sizes();
const std::string& hlo_size_of(uint64_t instructions);

struct HloSearches {
  std::string evaluator;
  std::string xla;    ///< its version; empty: nothing is timed
  size_t unread = 0;  ///< files that are no modules whose types fit
  std::vector<HloSearchesModule> ended;
  StopReason stop_reason = StopReason::kSaturated;
};

/// Goes over the modules once, one in memory at a time. Throws InputError, UsageError, and
/// MissingRuntimeError where XLA is asked for and not there.
HloSearches run_hlo_searches(const HloSearchesOptions& options, HloSearchesRecord& record);

/// A mean over modules (of the mean over seeds), with the 95 % interval of the means of as many modules drawn
/// from these (2,000 draws).
struct MeanOfModules {
  double mean = 0, low = 0, high = 0, least = 0, most = 0;
  size_t modules = 0;
};
MeanOfModules mean_of_modules(const std::vector<std::vector<double>>& by_module);

/// A search over the modules of one pass and size.
struct HloSearchesRow {
  double evaluated = 0;  ///< mean
  size_t runs = 0, ended = 0;
  MeanOfModules to_reference, to_pick_first;
  std::optional<MeanOfModules> to_random;  ///< random walks after as many evaluations, mean over seeds
  /// At its end, timed again: of the cheapest to pick-first, of what was found to it, and to what random
  /// walks found.
  std::optional<MeanOfModules> cheapest_again, found_again, found_to_random;
  double faster = 0, slower = 0,
         same = 0;   ///< of runs by their cheapest: below 0.94 and above 1.06 of the reference; its graph
  size_t below = 0;  ///< modules on which it is cheaper than pick-first
};
/// "pick-first" is a search too. `evaluations`: what was found by then; infinite: at its end.
std::optional<HloSearchesRow> hlo_searches_row(const HloSearches& all, const std::string& pass,
                                               const std::string& size, const std::string& search,
                                               uint64_t evaluations = std::numeric_limits<uint64_t>::max());

}  // namespace isomer::evaluation
