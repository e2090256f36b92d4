// How long a scheduled loop program takes, before it is compiled: what ranks schedules, and muGraphs by what
// becomes of them here. The innermost loops pay for arithmetic, loads and stores by the vector, for the
// latency of sums and for each iteration; what does not stay in a cache is brought in by the line, again in
// each iteration of a loop between whose iterations it does not stay, and pays for each place in memory where
// reading begins anew. The reuse is that of loop nests with caches of a size (Wolf, Lam: PLDI 1991; as
// analytic models of tile sizes have it since), the bound is the slowest of all, as a roofline has it.
//
// Rows of one access may put each other out; not seen: those of others, registers, other threads.
#pragma once

#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

struct Estimate {
  double arithmetic = 0;  ///< cycles of one core: with loads and stores of what is near
  /// For what comes from beyond the nearest cache, from beyond the one behind it, from memory.
  double near = 0, far = 0, memory = 0;
  double cycles() const;
};

/// Of a program for processors whose loops are of known bounds (others count as one iteration).
Estimate estimate(const LoopProgram& program, const ScheduleOptions& options);

}  // namespace isomer::codegen
