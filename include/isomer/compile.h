// Isomer's public interface: a model as a shared object (model.h) that runs without any runtime. Standard
// types only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isomer/isomer.h"

namespace isomer {

struct CompileOptions {
  std::string input;              ///< path of a model
  std::string output;             ///< path to write
  std::vector<std::string> dims;  ///< dynamic dimensions: name=value
  std::string cpu;                ///< processor, as LLVM names it; empty: this machine's
  std::string gpu;    ///< graphics processor, as LLVM names it (sm_90), in place of this machine's
  int threads = 1;    ///< it is tried and timed with
  bool check = true;  ///< false: it is not run
  /// Whether an equivalent program is sought that runs faster as machine code. Only where it can be timed: on
  /// this machine's processor, with `check`.
  bool rewrite = true;
  double rewrite_limit = 60;  ///< seconds for that, and a tenth more
  double tolerance = 1e-4;    ///< of single precision; coarser types have a coarser one
  double trial_limit = 120;   ///< seconds for loading and running it
  uint64_t seed = 0;          ///< of the inputs that it is tried on
};

struct CompileResult {
  int kernels = 0;        ///< functions
  int calls = 0;          ///< of them in a run
  int calls_at_load = 0;  ///< those that prepare weights
  int64_t weight_bytes = 0;
  int64_t prepared_bytes = 0;  ///< what is made of weights at load
  int64_t workspace_bytes = 0;
  /// Kernels with a schedule of their own that the graphics processor cannot run so, and why: they were
  /// compiled as ordinary operators.
  std::vector<std::string> written_out;
  std::string decision;    ///< which program was compiled, the original or what was found, and why
  bool rewritten = false;  ///< not the original
  /// Of that: time of the original over its own, the median of rounds of runs and its 95 % interval; 0 where
  /// it is the original.
  double rewrite_gain = 0, rewrite_gain_low = 0, rewrite_gain_high = 0;
  Counts rules_applied;        ///< rule -> instances in it
  double rewrite_seconds = 0;  ///< of looking for it
  double compile_seconds = 0;
  bool checked = false;   ///< what follows is known
  double difference = 0;  ///< from evaluation in double precision, as a part of the largest element
  double load_seconds = 0, run_seconds = 0;  ///< of a run the median
  int runs = 0;
};

/// Throws isomer::Error (support/errors.h): InputError for models of which no code is generated,
/// MissingRuntimeError without a compiler, VerificationError where the shared object crashes or computes
/// something else than the model; then nothing is written. Its `stop` ends the search for another program.
CompileResult compile_model(const CompileOptions& options, const RunHooks& hooks = {});

}  // namespace isomer
