// How far the two sides of a rule lie apart in float32, measured: a rule that is true over the reals can
// still overflow or cancel (softmax without its maximum, E[x^2] - E[x]^2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/context.h"
#include "rewrite/rule.h"

namespace isomer::rewrite {

struct StabilityOptions {
  uint64_t seed = 1;
  int instances = 3;  ///< types and attributes
  int draws = 5;      ///< of numbers, for each instance and range
  int attempts = 400;
  double most_lost = 8;  ///< times the left side's error that the right side may have
};

struct StabilityReport {
  Stability measured = Stability::kExact;
  int evaluations = 0;  ///< of both sides; 0: no float instance was found, nothing was measured
  double worst = 0;     ///< largest median of right error / left error over the ranges
  std::string reason;   ///< unstable: on which numbers, and at what instance
  /// An infinity or NaN among the inputs reaches more elements than by the left side (zero times infinity).
  /// Said, not counted as unstable.
  bool spreads_infinities = false;
};

StabilityReport measure_stability(ir::Context& ctx, const Rule& rule, const StabilityOptions& options = {});

/// "exact", "reassociates", "unstable".
std::string_view to_string(Stability stability);

}  // namespace isomer::rewrite
