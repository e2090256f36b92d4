// Kernels (kernels.h) as they say, on a graphics processor: the grid is the blocks of threads, a loop runs
// within each, and tiles lie in the block's shared memory, or in registers where each thread has its own
// elements. This is the level for which Mirage (Wu et al., 2024/25) searches muGraphs. Mirage emits CUDA with
// calls of templates of its own for tile operators and a barrier after each step; here the block's work is a
// loop program of tiles (gpu_block.h), the tiles of coming iterations are on their way meanwhile
// (gpu_copies.h), and threads wait where they must (gpu_places.h).
#pragma once

#include <optional>
#include <string>

#include "codegen/gpu_schedule.h"
#include "codegen/kernels.h"
#include "codegen/loop_program.h"
#include "ir/op.h"

namespace isomer::codegen {

/// One kernel; none, and why, where a block needs more than the processor has. `tiles`: the loops of a graph
/// of tiles, one nest for each operator.
struct GpuKernelLoops {
  std::optional<LoopProgram> program;
  std::string why_not;
};
GpuKernelLoops gpu_kernel_loops(const ir::OpInstance& kernel, const Generate& tiles,
                                const GpuOptions& options);

}  // namespace isomer::codegen
