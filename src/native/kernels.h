// A program's kernels as functions of one module: each part's, equal ones once.
#pragma once

#include <string>
#include <vector>

#include "codegen/gpu_text.h"
#include "codegen/llvm_text.h"
#include "codegen/parts.h"

namespace isomer::native {

struct Kernels {
  codegen::Parts parts;
  std::vector<int> of_part;  ///< number of each part's function
  std::vector<codegen::FunctionText> functions;

  static std::string name(int number) { return "isomer_kernel_" + std::to_string(number); }
  /// All functions, as LLVM's text.
  std::string module() const;
};

/// Throws InputError for what no code is generated for.
Kernels kernels_of(const codegen::LoopProgram& program);

/// The same for a graphics processor.
struct GpuKernels {
  codegen::Parts parts;
  std::vector<int> of_part;
  std::vector<codegen::GpuKernel> functions;

  /// Throws as ptx_of (compiler.h) does.
  std::string ptx(const std::string& gpu) const;
};
GpuKernels gpu_kernels_of(const codegen::LoopProgram& program);

}  // namespace isomer::native
