// TASO's optimizer (Jia et al., SOSP 2019, section 5) as a recipe: backtracking search over graphs with its
// substitutions, as the baseline that equality saturation is compared with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "problems/rewrite_graph.h"
#include "support/limits.h"

namespace isomer::recipes {

/// What tables call TASO's own cost model: anchor, but concatenations that substitutions bring in are free.
inline constexpr const char* kTasoCost = "anchor-taso";

struct TasoOptions {
  /// A cost model; none: TASO's own.
  std::optional<std::string> cost;
  std::shared_ptr<cost::CostModel> model;  ///< if any: instead of the one that `cost` names
  double alpha = 1.05;
  uint64_t budget = 100;
  bool interior_unused = true;
  bool weights_free = false;  ///< the search does not pay for operators on weights alone; TASO's does
  Limits limits;
  std::function<void(double cost, uint64_t expanded)> improved;
};

struct TasoResult {
  double start_cost = 0, cost = 0;  ///< as the search counts
  double folded_cost = 0;           ///< of the result once operators on weights alone are folded away
  ir::Graph graph;
  uint64_t expanded = 0, generated = 0, held = 0;
  double seconds = 0, seconds_to_best = 0, cpu_seconds = 0;
  StopReason stop_reason = StopReason::kRunning;
};

TasoResult run_taso(const ir::Graph& graph, const rewrite::RuleSet& rules, const TasoOptions& options);

}  // namespace isomer::recipes
