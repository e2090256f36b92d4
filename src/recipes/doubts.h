// Inputs at which the runtime tells two models apart and is not to be believed (workers/doubts.py), put to
// the interpreter: shares that are next to nothing, and what ONNX's reference evaluator does not see. So a
// difference that only a runtime's kernel makes is none, at exactly the inputs where it was seen, and one
// that is there stays one. (Running implementations of one definition on the same inputs to look into their
// differences is McKeeman's, "Differential testing for software", 1998; ours asks a third one, in more
// digits, at just the inputs at which two differ.)
#pragma once

#include <cstdint>
#include <string>

#include "ir/graph.h"
#include "recipes/compare_runs.h"
#include "runtime/pair_trials.h"

namespace isomer::recipes {

struct Settled {
  int64_t agreed = 0;         ///< inputs at which the interpreter has the same of both
  bool shares_apart = false;  ///< some at which shares differ by their own size, too
  /// What ONNX's evaluator does not see, and the interpreter does, or has no value for.
  std::string denied;
  /// Shares that the interpreter has no value for, or no digits of, and what there was no time or room for.
  std::string unknown;
};
/// Floats may be off by an output's tolerance (tolerances_of): shares of themselves, the rest of an output's
/// largest element.
Settled settle(ir::Context& ctx, const RunsAsked& asked, const runtime::TrialReport& report);

/// What is left in doubt, in words; empty: nothing.
std::string say_unsettled(const Settled& settled, const std::string& runtime);

struct SettledRuns {
  runtime::OrFailure<runtime::TrialReport> outcome;
  Settled settled;
  int64_t departed =
      0;  ///< inputs at which the runtime alone told them apart, before ONNX's evaluator ran both
};
/// run_both, and what is in doubt settled, which a difference in ONNX's reference evaluator alone is, too;
/// where shares are apart by their own size, what tells them apart is looked for once more, in the time that
/// is left or a quarter of it all, and where that finds nothing, they stay in doubt. Where the runtime
/// departs from ONNX so often that it was not asked any more, and the interpreter has the same of both at
/// each of those inputs, ONNX's evaluator runs both instead, for as long, unless there are conditions to be
/// met.
SettledRuns run_and_settle(ir::Context& ctx, runtime::OnnxRuntime& runtime, RunsAsked asked);

}  // namespace isomer::recipes
