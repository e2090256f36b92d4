// How long a program for a graphics processor takes, before it is compiled or where there is none: what
// chooses between muGraphs and default schedules then. A roofline (Williams, Waterman, Patterson, CACM 2009)
// of each kernel, with roofs for what it takes from memory, what its blocks load, what they move from and to
// shared memory, tensor cores and other arithmetic of the multiprocessor with the most blocks, and one for
// the steps of a block's loops, which wait for memory or for other threads. The largest of these, a launch
// for each kernel, and the beginning of a run. The rates were fitted on an H100 to 111 muGraphs, 15 products
// and 506 operators of networks.
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
  double loaded_bytes = 6.1e12;  ///< by all blocks, from the second cache
  double near_bytes = 1.2e13;    ///< from and to all shared memories, as threads ask for them
  double tensor_flops = 3.6e14;  ///< by instructions of a warp
  double group_flops = 6.0e14;   ///< by those of a group of warps
  double flops = 6.0e13;         ///< all others: a multiplication that adds is two
  double run_seconds = 2.7e-6, launch_seconds = 1e-6, step_seconds = 3.2e-7;
};
/// Of a processor as LLVM names it: an A100's, or an H100's.
GpuRates gpu_rates_for(const std::string& gpu);

/// Seconds of each kernel of a program that is scheduled for graphics processors; of all of them.
std::vector<double> gpu_seconds_each(const LoopProgram& program, const GpuRates& rates);
double gpu_seconds(const LoopProgram& program, const GpuRates& rates);

}  // namespace isomer::codegen
