// Rows of a tile that are combined by the threads of a block, several a row: each combines its share, and the
// shares meet in shared memory (as gpu_columns.h does it for all blocks).
#pragma once

#include <optional>

#include "codegen/gpu_block.h"

namespace isomer::codegen {

/// None for more rows than threads that no number of turns goes through evenly. `later`: shares are kept in
/// registers over all iterations of the loop around, and meet after it.
std::optional<BlockSteps> block_rows(LoopProgram& program, const CombiningNest& nest, bool later,
                                     const GpuOptions& options);

}  // namespace isomer::codegen
