// Products of 16-bit floats on Hopper's tensor cores: four warps together sum products of 64 by n by 16
// elements that lie in shared memory (wgmma.mma_async; NVIDIA's PTX manual, "Asynchronous warpgroup level
// matrix instructions", has where in a group each sum lies). The plan is that of CUTLASS 3 (Thakkar et al.,
// 2023): slices of both operands are copied some steps ahead, and the products of one step still run while
// the threads copy for later ones. Here slices are copied by cp.async, 16 bytes at a time. Two things are
// said by the loop program itself, so that its interpreter sees what is wrong with them: the order of chunks
// within each line of 128 bytes (the instruction's 128-byte swizzle) by its indices, and that products run on
// by Loop::running.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/gpu_product_nest.h"
#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Of a product that is_of_halves (gpu_product_nest.h). Empty where 16 bytes of an operand do not lie
/// together, where there are fewer rows or columns than would pay, or options say so.
std::vector<Statement> product_by_warpgroups(LoopProgram& program, const Product& product,
                                             std::span<const int64_t> extents, const GpuOptions& options);

/// How they would make it, if 16 bytes of the operands lie together; none where they do not.
std::optional<BlocksOf> blocks_by_warpgroups(const Product& product, const GpuOptions& options);

}  // namespace isomer::codegen
