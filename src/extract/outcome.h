// What every exact solver returns.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "extract/problem.h"
#include "support/limits.h"

namespace isomer::extract {

struct Outcome {
  Selection selection;  ///< the best one known, at worst the start
  double cost = 0;      ///< its DAG cost
  double bound = -std::numeric_limits<double>::infinity();
  bool optimal = false;
  StopReason stop_reason = StopReason::kSaturated;
  int rounds = 0;  ///< solves

  /// An incumbent that meets the bound is optimal, however the bound was found.
  void conclude() {
    optimal = optimal || cost <= bound + 1e-9 * std::max(1.0, std::abs(cost));
    bound = optimal ? cost : std::min(bound, cost);
    if (optimal) stop_reason = StopReason::kSaturated;
  }
};

}  // namespace isomer::extract
