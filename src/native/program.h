// A loop program as machine code of this process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/context.h"
#include "native/compiler.h"
#include "native/kernels.h"
#include "native/runtime/runtime.h"

namespace isomer::native {

struct ProgramOptions {
  int threads = 1;
  std::string cpu;  ///< as LLVM names it; empty: this machine's
};

class Program {
 public:
  /// Runs what depends on constants only. Throws MissingRuntimeError where there is no compiler, InputError
  /// for what no code is generated for. The context's constants must live as long as the program.
  Program(const codegen::LoopProgram& program, const ir::Context& ctx, const ProgramOptions& options = {});

  /// Addresses of whole tensors, row-major, in the order of the program's interface: elements in their own
  /// types, bools as bytes. One call at a time: scratch belongs to the program.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs);

  size_t kernel_count() const { return kernels_.functions.size(); }

 private:
  struct Delete {
    void operator()(IsomerRun* run) const { isomer_run_delete(run); }
  };

  Kernels kernels_;
  LoadedCode code_;
  std::vector<IsomerBuffer> buffers_;
  std::vector<IsomerCall> at_load_, calls_;
  IsomerTables tables_{};
  std::unique_ptr<IsomerRun, Delete> run_;
};

}  // namespace isomer::native
