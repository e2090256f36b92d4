// A model as a shared object that runs without any runtime, held to the evaluation of the model before it
// gets its name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/shared_object.h"

namespace isomer::recipes {

struct CompileOptions {
  std::string input, output;
  std::vector<std::string> dims;  ///< name=value
  std::string cpu;                ///< as LLVM names it; empty: this machine's
  int threads = 1;                ///< it is tried and timed with
  bool check = true;              ///< false where this machine is not the one that it is for
  double tolerance = 1e-4;        ///< of single precision; coarser types have a coarser one
  double trial_limit = 120;       ///< seconds for loading and running it
  uint64_t seed = 0;
};

struct CompileResult {
  native::SharedObject made;
  double compile_seconds = 0;
  bool checked = false;
  double difference = 0;  ///< from evaluation in double precision, as a part of the largest element
  double load_seconds = 0, run_seconds = 0;
  int runs = 0;
};

/// Throws InputError for models of which no code is generated, MissingRuntimeError without a compiler,
/// VerificationError where the shared object crashes or computes something else; then nothing is written.
CompileResult compile(const CompileOptions& options);

}  // namespace isomer::recipes
