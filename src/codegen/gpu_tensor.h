// Products of 16-bit floats by tensor cores: warps sum products of 16 by 8 by 16 elements in single precision
// (mma.sync; NVIDIA's PTX manual, "Matrix multiply-accumulate", has where in a warp each element lies). The
// plan is that of CUTLASS (Kerr et al. 2017): tiles of blocks, of warps, and of instructions. So is the order
// of chunks in lines of shared memory (a swizzle), by which neither copies nor what warps load meet in a
// bank; here indices of the loop program say it, for its checker and interpreter to see.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/gpu_product_nest.h"
#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Empty where they have no such product, or would not pay.
std::vector<Statement> product_by_tensor_cores(LoopProgram& program, const Product& product,
                                               std::span<const int64_t> extents, const GpuOptions& options);

/// How they would make it; none where they do not.
std::optional<BlocksOf> blocks_by_tensor_cores(const LoopProgram& program, const Product& product,
                                               const GpuOptions& options);

}  // namespace isomer::codegen
