// A model as a shared object that runs without any runtime.
#pragma once

#include <string>
#include <vector>

#include "native/shared_object.h"

namespace isomer::recipes {

struct CompileOptions {
  std::string input, output;
  std::vector<std::string> dims;  ///< name=value
  std::string cpu;                ///< as LLVM names it; empty: this machine's
};

struct CompileResult {
  native::SharedObject made;
  double seconds = 0;
};

/// Throws InputError for models of which no code is generated, MissingRuntimeError without a compiler.
CompileResult compile(const CompileOptions& options);

}  // namespace isomer::recipes
