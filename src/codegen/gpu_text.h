// Kernels of a graphics processor as LLVM IR, in its textual form, of which LLVM makes PTX. Blocks are the
// parallel loops that are all of a program, threads its loops of threads; what a block has for itself lies
// where gpu_places.h says. Threads wait for each other where one may read or overwrite what another has
// written or read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// A kernel without its name, what it calls, and how it is started.
struct GpuKernel {
  std::string text;
  std::set<std::string> declarations;
  int64_t blocks = 1, threads = 1;
  int64_t shared_bytes = 0;
};

/// Its parameters are the addresses of the program's buffers but private ones, in order. Throws InputError
/// for element types and functions that it does not know.
GpuKernel gpu_kernel(const LoopProgram& program);

/// A module of kernels, by name.
std::string gpu_module(const std::map<std::string, const GpuKernel*>& kernels);

}  // namespace isomer::codegen
