// The main job: a model in, an equivalent one out that is not slower. Its seven steps (read, explore, price,
// extract, measure, verify, write) are one visible function behind one runner. Exploring and extracting are
// TENSAT's (Yang et al., MLSys 2021); what ours does otherwise: weights are free since they are folded, the
// target runtime has the last word on speed, and nothing is written that was not shown to be equivalent.
#pragma once

#include <functional>
#include <string>

#include "cost/cost_model.h"
#include "ir/graph.h"
#include "isomer/isomer.h"
#include "support/deadline.h"
#include "support/limits.h"
#include "support/progress.h"
#include "support/run_record.h"

namespace isomer::recipes {

/// What a report draws besides result and record; valid during the call that it is handed to.
struct Programs {
  const ir::Graph& original;
  const ir::Graph* found;  ///< cheaper by the cost model, whether it was written or not; null: there was none
  cost::CostModel* model;  ///< null with --no-rewrite
  Deadline until;          ///< of reporting
};
using ProgramsSink = std::function<void(const OptimizeResult&, const Programs&)>;

/// The options name the output (api/isomer.cpp). `finished`, if any, is called once the result is written,
/// would be (a dry run), or, with a result that says so, has failed verification. All of it ends by the time
/// limit, a tenth more and five seconds on `clock` (recipes/time_budget.h). Throws Error: bad input (3),
/// verification failed (4), runtime missing where one is needed (5), interrupted before anything could be
/// written (130).
OptimizeResult optimize(const OptimizeOptions& options, const StopToken& stop, ProgressSink& progress,
                        RunRecord& record, const ProgramsSink& finished = {},
                        const Clock& clock = steady_clock());

}  // namespace isomer::recipes
