// How wide registers for indices have to be.
#pragma once

#include <cstdint>
#include <span>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// 64, or 32, which are enough for most programs, and half the work. `extents`: by variable.
int index_bits(const LoopProgram& program, std::span<const int64_t> extents);

}  // namespace isomer::codegen
