// The steps of the main job that need the e-graph: exploring, extracting, and checking what was applied.
#pragma once

#include <memory>
#include <optional>

#include "cost/cost_model.h"
#include "ir/graph.h"
#include "isomer/isomer.h"
#include "recipes/spine.h"

namespace isomer::recipes {

class Rewriting {
 public:
  /// Reads the rule files that the options name (default: the shipped ones).
  Rewriting(const ir::Graph& original, const OptimizeOptions& options, Spine& spine);
  ~Rewriting();

  /// Saturates; fills e_nodes, e_classes, iterations, stop_reason.
  void explore(OptimizeResult& result);
  /// The cheapest program found, constants folded; nothing when none is cheaper than the original (`decision`
  /// then says so). Fills cost_found, bound, optimal, rules_applied.
  std::optional<ir::Graph> extract(cost::CostModel& model, OptimizeResult& result);
  /// The chain of rule applications that leads to what `extract` found goes into the record; what it does not
  /// need is no longer counted as used. `model`, if any, prices the programs on the way. Returns the outcome.
  std::string explain(cost::CostModel* model, OptimizeResult& result);
  /// Every rule that was used has a verdict, every applied instance is checked again at its own types. Throws
  /// VerificationError naming the rule.
  void check_rewrites(OptimizeResult& result);
  /// Both whole programs in the interpreter, where no runtime can run them. Throws VerificationError.
  void check_whole(const ir::Graph& candidate, OptimizeResult& result);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isomer::recipes
