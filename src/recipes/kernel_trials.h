// muGraphs as machine code of this machine: the cheapest by the cost model are compiled, held to the program
// and timed beside it, and the fastest is confirmed in rounds. Mirage (Wu et al. 2024/25) ranks what it has
// verified by running it as well; here the program by its own default schedules is among what is timed, so
// that a muGraph is only worth what it gains over that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mugraph/search.h"
#include "recipes/compiled_race.h"
#include "support/limits.h"

namespace isomer::recipes {

struct KernelTrialOptions {
  size_t looked_at = 400;  ///< half of them the cheapest by cost, the others the cheapest of a structure
  size_t most = 24;        ///< of these, by the estimate of their loops: compiled and timed
  /// So many of all schedules by chance instead, each timed in all rounds for the least of its times: whether
  /// an estimate ranks is asked of what it did not choose.
  bool drawn = false;
  int finalists = 3;  ///< muGraphs that are confirmed in rounds with the program itself
  int rounds = 7;
  RaceOptions race;
  uint64_t seed = 1;
  LimitWatch* watch = nullptr;  ///< no further muGraph is tried after its end
  std::function<void(size_t done, size_t all)> progress = {};
};

struct TriedKernel {
  const mugraph::MuGraph* graph = nullptr;
  size_t index = 0;          ///< among all schedules by cost, as a search writes them
  double predicted = 0;      ///< seconds, by the search's cost model
  double estimated = 0;      ///< cycles of its loops; on a graphics processor seconds
  CompiledRace::Runner run;  ///< drawn ones: with the least time of a round
};

struct KernelTrials {
  CompiledRace::Runner plain;  ///< the program by default schedules
  std::vector<TriedKernel> tried;
  /// The fastest muGraph of `tried`, with the time of the program over its own; none where none runs.
  std::optional<size_t> best;
  Ratio gain;
  /// Spearman's rank correlation of estimated cycles and measured seconds, of those that run; NaN for fewer
  /// than three.
  double rank_correlation = 0;
};

/// `plain`: the program, `stated`: the same by a muGraph. Throws MissingRuntimeError without a compiler,
/// InputError where the program cannot be evaluated.
KernelTrials try_kernels(const ir::Graph& plain,
                         const std::function<ir::Graph(const mugraph::MuGraph&)>& stated,
                         const mugraph::SearchResult& found, const KernelTrialOptions& options);

/// The same where there is no processor to time them on: what KernelTrials has of times is what is estimated
/// for `options.race.gpu`. What no code is generated for is left out.
KernelTrials estimate_kernels(const ir::Graph& plain,
                              const std::function<ir::Graph(const mugraph::MuGraph&)>& stated,
                              const mugraph::SearchResult& found, const KernelTrialOptions& options);

/// NaN for fewer than three.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace isomer::recipes
