// Steps 5 and 6 of the main job in the target runtime: original and candidate timed against each other, then
// run on the same inputs and compared. The runtime is a process of its own; its refusals and crashes are
// results.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/unrepeatable.h"
#include "runtime/onnxruntime.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

struct TrialOptions {
  int threads = 1;
  int pairs = 60;
  uint64_t seed = 0;
  std::string inputs_npz;
  std::map<std::string, int64_t> dims;  ///< sizes of the original's symbolic dimensions that were fixed
  uint64_t weight_bytes = 0;            ///< of the larger model: from 1 GiB on only one is held at a time
  double tolerance = 1e-4;
  std::map<std::string, runtime::Bounds> bounds;  ///< of generated inputs
  std::vector<runtime::Choice> choices;           ///< outputs that are places of numbers
  OutputSet random = {};                          ///< outputs that differ from run to run
};

class Trial {
 public:
  /// A stop ends timing with the pairs that there are; comparing goes on. Throws MissingRuntimeError when the
  /// runtime is not installed.
  Trial(const TrialOptions& options, const StopToken& stop, ProgressSink& progress);

  const std::string& runtime() const { return name_; }
  /// A first, short round for several candidates: which of them (by number) is fastest. Candidates that the
  /// runtime refuses with the others are taken as equals: then the first is. Says in `why` what was seen.
  size_t fastest(const std::string& original, const std::vector<std::string>& candidates, std::string& why);
  /// Fills latencies and speed-up of `result`; true when the candidate's lower 95 % bound is above 1. With
  /// one thread CPU time counts, with several wall time. Says in `why` what decided.
  bool faster(const std::string& original, const std::string& candidate, OptimizeResult& result,
              std::string& why);
  /// What the runtime says against the model when it loads and runs it by itself; nothing when it does.
  std::optional<std::string> refuses(const std::string& model);
  /// Whether timing failed, for another reason than a stop, since this was asked last.
  bool failed();
  /// Same inputs, all outputs; those that differ between two runs of the original are compared by their types
  /// alone. Fills max_relative_error and not_compared; the returned text says how it ended. kRefused: the
  /// runtime loads the original, but not the candidate.
  enum class Agreement { kAgree, kDiffer, kCannotRun, kRefused };
  Agreement compare(const std::string& original, const std::string& candidate, OptimizeResult& result,
                    std::string& how);

 private:
  TrialOptions options_;
  StopToken stop_;
  ProgressSink& progress_;
  runtime::OnnxRuntime runtime_;
  std::string name_;
  bool failed_ = false;
  OutputSet unrepeated_;  ///< beside those that are known to be random

  runtime::InputSpec inputs() const;
  runtime::TimingOptions timing(size_t models) const;
  runtime::Wait wait(const std::string& phase, const StopToken& stop);
};

}  // namespace isomer::recipes
