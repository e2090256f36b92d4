// Products of tiles of 16-bit floats in shared memory by tensor cores: warps sum products of 16 by 8 by 16
// (mma.sync; where in a warp each element lies, NVIDIA's PTX manual says). As in gpu_tensor.h, but the tiles
// are there already, whole, and small: a side that is shorter than an instruction's is filled up with copies
// of its last row, of which nothing is kept, and the longer side of the result lies along the 16 rows of an
// instruction, whichever operand it is.
#pragma once

#include <optional>
#include <set>

#include "codegen/gpu_block.h"
#include "codegen/gpu_product_nest.h"

namespace isomer::codegen {

/// None where they have no such product, or operands that are not in `in_shared` or of the program. `later`:
/// as in gpu_block_tile.h.
std::optional<BlockSteps> block_product_by_tensor_cores(LoopProgram& program, const Product& product,
                                                        const std::set<int>& in_shared, bool later,
                                                        const GpuOptions& options);

}  // namespace isomer::codegen
