// Which of several modules is taken. The least of many noisy times is luck more than speed: what was timed
// briefly is timed again before it counts as faster, beside what it is to be faster than. HloEnv
// (section 5.2) evaluates what it reports 100 times; here these calls are in turn with the other's, in ten
// loads, and an interval decides.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/timing_statistics.h"
#include "runtime/xla.h"
#include "support/deadline.h"
#include "support/limits.h"

namespace isomer::recipes {

/// Of each module, before one counts as faster.
constexpr int kHloEvaluations = 100;
constexpr int kHloLoads = 10;

/// Calls of modules in turn; each load compiles them anew, and has inputs of its own.
struct HloCalls {
  std::vector<runtime::Samples> samples;  ///< of each module
  /// From the first one's outputs, the largest of all loads; infinite where a module was not run, or other
  /// types or sizes came out.
  std::vector<double> differences;
  int evaluations = 0;  ///< of each
  /// Why these are fewer than kHloEvaluations; kSaturated: nothing was left that could be compared.
  StopReason stop_reason = StopReason::kSaturated;
};
/// `race` runs the modules in turn, with these options; it is told the number of the load. Of `options` the
/// seconds are what a load may take at most.
using HloRace = std::function<std::vector<runtime::XlaProgram>(int load, const runtime::XlaOptions& options)>;
HloCalls call_in_turn(size_t modules, runtime::XlaOptions options, const Deadline& end, const HloRace& race);

/// Of each module over the one at `reference`; nothing of what lies farther from the outputs of the first
/// than `tolerance`, or was not run.
std::vector<std::optional<runtime::MedianInterval>> speedups(const HloCalls& calls, size_t reference,
                                                             double tolerance);
/// The one that is faster than the reference beyond doubt, and most; the reference where there is none, or
/// not all calls were made.
size_t surely_fastest(const HloCalls& calls, size_t reference, double tolerance);

}  // namespace isomer::recipes
