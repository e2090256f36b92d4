// Steps 5 and 6 of the main job in the target runtime: original and candidate timed against each other, then
// run on the same inputs and compared. The runtime is a process of its own; its refusals and crashes are
// results.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "runtime/onnxruntime.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

struct TrialOptions {
  int threads = 1;
  int pairs = 60;
  uint64_t seed = 0;
  std::string inputs_npz;
  std::map<std::string, int64_t> dims;  ///< sizes of the original's symbolic dimensions
  uint64_t weight_bytes = 0;            ///< of the larger model: from 1 GiB on only one is held at a time
  double tolerance = 1e-4;
  std::map<std::string, runtime::Bounds> bounds;  ///< of generated inputs
  std::vector<runtime::Choice> choices;           ///< outputs that are places of numbers
  /// Other sizes, if any, at which the programs are compared as well, and the bounds there.
  std::map<std::string, int64_t> other_dims = {};
  std::map<std::string, runtime::Bounds> other_bounds = {};
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
  /// Same inputs, all outputs. Fills max_relative_error; the returned text says how it ended.
  enum class Agreement { kAgree, kDiffer, kCannotRun };
  Agreement compare(const std::string& original, const std::string& candidate, OptimizeResult& result,
                    std::string& how);

 private:
  TrialOptions options_;
  StopToken stop_;
  ProgressSink& progress_;
  runtime::OnnxRuntime runtime_;
  std::string name_;

  runtime::InputSpec inputs() const;
  Agreement compare_on(const runtime::InputSpec& inputs, int samples, const std::string& original,
                       const std::string& candidate, OptimizeResult& result, std::string& how);
  runtime::TimingOptions timing(size_t models) const;
  runtime::Wait wait(const std::string& phase, const StopToken& stop);
};

}  // namespace isomer::recipes
