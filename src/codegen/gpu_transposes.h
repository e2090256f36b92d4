// What is read along one axis and written along another, on a graphics processor: squares go through shared
// memory, so that both sides touch neighbours (Ruetsch, Micikevicius: Optimizing Matrix Transpose in CUDA,
// 2009).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// A nest of parallel loops around one store, of which a read lies along a loop that is not the innermost;
/// else empty. `parallel`: how many of its loops may run in any order.
std::vector<Statement> turned_in_squares(LoopProgram& program, const Loop& top, size_t parallel,
                                         std::span<const int64_t> extents, const GpuOptions& options);

}  // namespace isomer::codegen
