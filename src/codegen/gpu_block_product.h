// Products of tiles in shared memory by the threads of a block: each has some rows and columns of the result
// in registers (Volkov, Demmel: SC 2008), and where there are fewer elements than threads, a part of the
// reduction. What is 16 bits wide and large enough goes to tensor cores (gpu_block_tensor.h).
#pragma once

#include <optional>
#include <set>

#include "codegen/gpu_block.h"

namespace isomer::codegen {

/// None where the nest is no product of two operands, or no such part comes out even. `in_shared`, `later`:
/// as in gpu_block.h and gpu_block_tile.h.
std::optional<BlockSteps> block_product(LoopProgram& program, const Loop& top, const std::set<int>& in_shared,
                                        bool later, const GpuOptions& options);

}  // namespace isomer::codegen
