// How long a program for a graphics processor takes, before it is compiled or where there is none: what
// chooses between muGraphs and default schedules then. A roofline (Williams, Waterman, Patterson, CACM 2009)
// of each kernel, with roofs for what it takes from memory, what its blocks load, what they move from and to
// shared memory, tensor cores and other arithmetic of the multiprocessor with the most blocks, and one for
// the steps of a block's loops, which wait for memory or for other threads. The largest of these, a launch
// for each kernel, and the beginning of a run. The rates are those of the device (machine/gpu.h), which
// says what each is fitted to.
//
// Not seen: conflicts of banks, registers, what the assembler does, and that a small tensor may lie in the
// second cache already.
#pragma once

#include <vector>

#include "codegen/loop_program.h"
#include "machine/gpu.h"

namespace isomer::codegen {

/// Seconds of each kernel of a program that is scheduled for graphics processors; of all of them.
std::vector<double> gpu_seconds_each(const LoopProgram& program, const machine::Gpu& gpu);
double gpu_seconds(const LoopProgram& program, const machine::Gpu& gpu);

}  // namespace isomer::codegen
