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
  /// this machine's processor, with `check`. By the recipe mirage in a quarter of its time, 60 s at most.
  bool rewrite = true;
  /// default, or mirage: muGraphs are searched for its pieces, and stand where they are faster.
  std::string recipe = "default";
  double time_limit = -1;    ///< seconds of searches and trials; -1: 60, of the recipe mirage 300
  double tolerance = 1e-4;   ///< of single precision; coarser types have a coarser one
  double trial_limit = 120;  ///< seconds for loading and running it
  uint64_t seed = 0;         ///< of the inputs that it is tried on
};

/// Times of one program over times of another, round by round: the median, and the least and the largest.
struct Ratio {
  double median = 0, least = 0, most = 0;
};

/// A distinct piece of a model that muGraphs were looked for, and what became of it.
struct CompiledPiece {
  std::string what;  ///< its operators
  uint64_t times = 1;
  uint64_t structures = 0, schedules = 0;
  double plain_seconds = 0, kernel_seconds = 0;  ///< measured, or estimated
  Ratio gain;          ///< of the piece: time by default schedules over that of its best muGraph
  bool taken = false;  ///< its muGraph stands in what is written
  std::string reason;  ///< why not
};

/// What came of it. Fields, defaults and meanings: compile_result.inc.
struct CompileResult {
#define ISOMER_RESULT(type, field, fallback, key, form, help) type field = fallback;
#include "isomer/compile_result.inc"
#undef ISOMER_RESULT
};

/// Of the hooks progress is told. Stop ends the search for another program, and the recipe mirage as an Error
/// (130: nothing is written). Throws isomer::Error (support/errors.h): UsageError for an unknown recipe,
/// InputError for models of which no code is generated, MissingRuntimeError without a compiler,
/// VerificationError where the shared object crashes or computes something else than the model; then nothing
/// is written.
CompileResult compile_model(const CompileOptions& options, const RunHooks& hooks = {});

}  // namespace isomer
