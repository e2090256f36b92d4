// A program as a module of LLVM's text: its kernels, and the tables that its runtime reads.
#pragma once

#include <functional>
#include <string>

#include "codegen/loop_program.h"
#include "native/runtime/runtime.h"

namespace isomer::native {

struct ModuleText {
  std::string text;
  int kernels = 0;
  IsomerTables tables{};  ///< counts and sizes
};

/// LLVM's text for the address of a constant.
using ConstantText = std::function<std::string(ir::ConstantId)>;

/// Throws InputError for what no code is generated for.
ModuleText module_for_cpu(const codegen::LoopProgram& program, const ConstantText& constant);
/// With the kernels as PTX. Throws as ptx_of (compiler.h) does, too.
ModuleText module_for_gpu(const codegen::LoopProgram& program, const ConstantText& constant,
                          const std::string& gpu);

/// Bytes between quotes, as LLVM reads them.
std::string quoted(const std::string& text);

}  // namespace isomer::native
