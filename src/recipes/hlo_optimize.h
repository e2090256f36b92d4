// The main job for HLO: candidates that passes make of a module are compiled and timed by real XLA beside the
// module itself, checked to compute the same, and the fastest is returned if it is faster beyond doubt, else
// the module as it was. So the result is not slower than what XLA makes of the input, as far as the intervals
// tell. A candidate is what one rule of the passes, or all of them, or all but one, make of the module; or
// what a search over single decisions finds (HloEnv, section 3; recipes/hlo_search.h), which times far more.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "recipes/hlo_check.h"
#include "recipes/hlo_confirm.h"
#include "recipes/hlo_search.h"
#include "runtime/hlo_files.h"
#include "runtime/timing_statistics.h"
#include "support/limits.h"
#include "support/progress.h"
#include "support/store.h"

namespace isomer::recipes {

/// What candidates come from: "rules", or one of hlo_searches().
constexpr std::string_view kByRules = "rules";
std::optional<HloSearch> hlo_candidates_named(std::string_view word);

struct HloOptimizeOptions {
  std::vector<std::string> passes = {"algsimp", "contraction-order", "cse", "dot-merger", "dots-of-scans"};
  std::optional<HloSearch> search;  ///< over single decisions; none: rules are tried (all, one, all but one)
  int threads = 1;                  ///< of XLA
  double time_limit = 60;           ///< seconds
  double tolerance = 1e-4;          ///< of outputs, as a part of the largest element
  uint64_t seed = 0;                ///< of the inputs
  /// Holds a candidate to the module, before it is taken.
  ModuleCheck check = check_module;
  std::shared_ptr<Store> store;  ///< where a search keeps times between runs; nothing is kept without one
  StopToken stop;
  ProgressSink* progress = &silent_progress();
};

struct HloCandidate {
  std::string made_by;  ///< "all rules", "the rule add-zero alone", "all rules but add-zero"
  size_t instructions = 0;
  uint64_t dag_hash = 0;
  double runtime_us = 0;  ///< the first, brief timing; 0: none
  std::string dropped;    ///< why it was not considered further
  bool no_time = false;   ///< it was dropped for that
};

struct HloOptimizeResult {
  hlo::Module module;
  bool changed = false;  ///< else the input
  std::string made_by;   ///< of the result
  std::vector<HloCandidate> candidates;
  double runtime_before_us = 0, runtime_after_us = 0;
  runtime::MedianInterval speedup;  ///< of the best candidate over the input, paired; 1 where there was none
  int evaluations = 0;              ///< of both, behind that interval
  double difference = 0;            ///< between the outputs of the result and the input's
  std::optional<FoundCheck> check;  ///< of the result, where it changed (hlo_check.h)
  std::string xla;                  ///< the version
  double seconds = 0;
};

/// Throws MissingRuntimeError where jax is not installed, InputError where XLA refuses the module itself. A
/// candidate that is wrong though its outputs agree in XLA is dropped, and the next is tried. The second:
/// what XLA makes of StableHLO itself is what a candidate has to beat.
HloOptimizeResult hlo_optimize(const hlo::Module& module, const HloOptimizeOptions& options);
HloOptimizeResult hlo_optimize(const runtime::HloFile& file, const HloOptimizeOptions& options);

}  // namespace isomer::recipes
