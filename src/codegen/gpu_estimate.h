// How long a program for a graphics processor takes, before it is compiled or where there is none: what
// chooses between muGraphs and default schedules then. A roofline (Williams, Waterman, Patterson, CACM 2009)
// of each kernel: what it takes from memory, what its blocks load, tensor cores and other arithmetic of the
// multiprocessor with the most blocks, and the steps of a block's loops, which wait for memory or for each
// other. The largest of these, and a launch for each kernel.
//
// Not seen: conflicts of banks, registers, what the assembler does, and that a small tensor may lie in the
// second cache already.
#pragma once

#include <string>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// What a processor does in a second.
struct GpuRates {
  int64_t multiprocessors = 132;
  int64_t shared_bytes = 0;  ///< of a multiprocessor: what one block may have (gpu_options_for)
  double memory_bytes = 3.0e12;
  double loaded_bytes = 5.5e12;  ///< by all blocks, from the second cache
  double tensor_flops = 2.8e14;  ///< by instructions of a warp
  double group_flops = 6.0e14;   ///< by those of a group of warps
  double flops = 4.5e13;         ///< all others: a multiplication that adds is two
  double launch_seconds = 1.5e-6, step_seconds = 4e-7;
};
/// Of a processor as LLVM names it: an A100's, or an H100's.
GpuRates gpu_rates_for(const std::string& gpu);

/// Seconds of each kernel of a program that is scheduled for graphics processors; of all of them.
std::vector<double> gpu_seconds_each(const LoopProgram& program, const GpuRates& rates);
double gpu_seconds(const LoopProgram& program, const GpuRates& rates);

}  // namespace isomer::codegen
