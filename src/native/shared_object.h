// A program as a shared object: its kernels, its weights and the runtime, behind the functions of
// include/isomer/model.h. Nothing is needed to run it but the C library.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/loop_program.h"
#include "ir/context.h"

namespace isomer::native {

struct SharedObjectOptions {
  std::string cpu;  ///< as LLVM names it, of this machine's kind or aarch64; empty: this machine's
  std::string gpu;  ///< the graphics processor that it is for; empty: for none
  std::vector<std::string> inputs, outputs;  ///< names, in the program's order
  /// Called with the finished file before it gets its name; if it throws, there is none.
  std::function<void(const std::string& path)> check;
};

struct SharedObject {
  int kernels = 0;  ///< functions
  int calls = 0;    ///< of them in a run
  int at_load = 0;  ///< calls that prepare weights
  int64_t weight_bytes = 0, workspace_bytes = 0, prepared_bytes = 0;
};

/// Throws MissingRuntimeError where there is no compiler or linker, InputError for what no code is generated
/// for and where the file cannot be written. The file stands there as a whole or not at all.
SharedObject write_shared_object(const codegen::LoopProgram& program, const ir::Context& ctx,
                                 const SharedObjectOptions& options, const std::string& path);

/// What the runtime may want of the C library. Shared objects for another kind of processor are linked with
/// these names instead of the library.
std::span<const std::string_view> system_functions();

}  // namespace isomer::native
