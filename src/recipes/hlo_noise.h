// How far this machine's timings of a module lie apart from one another (HloEnv, appendix D.3): a module
// against itself, many ratios of two least times, and the bounds that 99.9 % of them lie within. A ratio
// outside of these bounds is a difference; one within may be noise. What HloEnv found: published/hloenv.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

struct HloNoiseOptions {
  int ratios = 1000;       ///< of each module
  int rounds = 10;         ///< calls that a time is the least of, as when modules are judged
  int loads = 10;          ///< processes that the ratios are spread over: each has its own luck with memory
  int threads = 1;         ///< of XLA
  double time_limit = 60;  ///< seconds, of each module; ratios that there is no time for are left out
  uint64_t seed = 0;       ///< of the inputs
  StopToken stop;
  ProgressSink* progress = &silent_progress();
};

inline constexpr size_t kEnoughRatios = 2000;  ///< so that one of them lies beyond each bound of 99.9 %

/// Ratios of times that should be equal. Needs at least one.
struct NoiseSummary {
  size_t ratios = 0;
  double least = 1, median = 1, largest = 1;
  double p1 = 1, p99 = 1;  ///< percentiles
  /// Within which 99.9 % of the ratios lie, half of the others on each side: as observed, where there are at
  /// least kEnoughRatios (else the least and the largest), and of a normal distribution of the logarithms.
  double low = 1, high = 1, normal_low = 1, normal_high = 1;
  bool observed = false;  ///< there were ratios enough for `low` and `high`
  /// What share of all ratios lies between the least and the largest, with 95 % confidence, whatever their
  /// distribution is (Wilks 1941).
  double covered = 0;
};
NoiseSummary noise_of(std::vector<double> ratios);

struct HloNoise {
  double runtime_us = 0;  ///< least of all
  std::vector<double> ratios;
};
/// Stopped, it has what was measured by then, which may be nothing. Throws MissingRuntimeError where jax is
/// not installed, InputError where XLA does not run the module.
HloNoise hlo_noise(const hlo::Module& module, const HloNoiseOptions& options);

}  // namespace isomer::recipes
