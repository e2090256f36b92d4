// Loop programs as machine code of this process. LLVM is in a library of its own, which is opened when the
// first program is compiled; without it all else works.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/loop_program.h"
#include "ir/context.h"

namespace isomer::native {

/// Empty, or why there is no compiler on this machine.
std::string why_no_compiler();

class Kernel {
 public:
  /// Throws MissingRuntimeError where there is no compiler, InputError for what no code is generated for. The
  /// context's constants must live as long as the kernel. `cpu`: as LLVM names it; empty: this machine's.
  Kernel(const codegen::LoopProgram& program, const ir::Context& ctx, const std::string& cpu = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Addresses of whole tensors, row-major, in the order of the program's interface: elements in their own
  /// types, bools as bytes. One call at a time: scratch belongs to the kernel.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs);

 private:
  void* loaded_ = nullptr;
  void (*function_)(void**) = nullptr;
  std::vector<void*> addresses_;          // of the buffers that the function is given
  std::vector<size_t> inputs_, outputs_;  // where in them
  std::vector<std::unique_ptr<std::byte[]>> scratch_;
};

}  // namespace isomer::native
