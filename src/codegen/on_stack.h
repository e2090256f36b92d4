// What an iteration has for itself lies on the stack of its thread, so there is a limit to it. Schedules keep
// to it by themselves for each product; a block of a kernel holds many of these (kernels.h), so that what is
// beyond becomes memory of the program, with a place for each block.
#pragma once

#include <cstdint>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Bytes.
inline constexpr int64_t kMostOnStack = 256 << 10;

/// Of each statement whose private buffers are larger together, the largest become scratch.
LoopProgram within_stack(LoopProgram program, int64_t most = kMostOnStack);

}  // namespace isomer::codegen
