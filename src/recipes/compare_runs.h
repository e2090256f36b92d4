// Two ONNX models in the runtime on inputs of many kinds and sizes, and what came of it in words.
#pragma once

#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/dims.h"
#include "recipes/load.h"
#include "recipes/unrepeatable.h"
#include "runtime/onnxruntime.h"
#include "runtime/pair_trials.h"

namespace isomer::recipes {

inline constexpr const char* kEvaluator = "ONNX's reference evaluator";

struct RunsAsked {
  const std::string &path_a, &path_b;
  const Program &a, &b;
  runtime::InputSpec inputs;  ///< seed, file, bounds
  std::vector<Sizes> sizes;   ///< at which the first model runs; empty: nothing is dynamic
  OutputSet random;           ///< outputs that are not compared
  OutputSet shares;           ///< outputs that hold shares
  double tolerance = 1e-4;    ///< of float32; each output has what its element types need
  double seconds = 60;
  bool strict = false;       ///< what overflows in the first alone is a difference
  std::string witness = {};  ///< a path
  StopToken stop = {};       ///< what was tried by then is reported
  bool evaluated = false;    ///< by ONNX's reference evaluator, and not the runtime
};

/// Of each output: a program that computes more coarsely than the other is another one.
std::vector<double> tolerances_of(const Program& a, const Program& b, double tolerance);
/// Runs them; where the runtime's process ends, without large integers, and where it ends still, without
/// sizes of 0.
runtime::OrFailure<runtime::TrialReport> run_both(runtime::OnnxRuntime& runtime, const RunsAsked& asked);

/// "310 sets of inputs (40 coarse, ...) at n=1, n=2, ...".
std::string say_tried(const runtime::TrialReport& report);
/// Where: "ONNX's reference evaluator, of whose operators onnxruntime 1.31.1 bears 3 out,", or the runtime.
std::string say_where(const runtime::TrialReport& report, const std::string& runtime);
/// What no set of inputs had in it, since the runtime ends by that; empty: nothing.
std::string say_left_out(const runtime::TrialReport& report);
/// Outputs that were never seen to hold anything comparable, though they may; empty: none.
std::string say_unseen(const runtime::TrialReport& report, const RunsAsked& asked);
/// Conditions that elements decide and that were never seen one of both ways; empty: none.
std::string say_unmet(const runtime::TrialReport& report);
/// The first output that inputs decide in both and of which one value was all that was seen; empty: none.
std::string say_still(const runtime::TrialReport& report, const RunsAsked& asked);
/// Conditions that sizes alone decide and that were never seen one of both ways, and sizes of 0 where these
/// were left out.
std::string say_unmet_sizes(const runtime::TrialReport& report);
/// What parts them, in words.
std::string say_difference(const runtime::TrialReport& report);

}  // namespace isomer::recipes
