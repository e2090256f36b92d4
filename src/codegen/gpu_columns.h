// Sums down columns on a graphics processor (of matrices by vectors, too): neighbouring threads have
// neighbouring columns, in pairs where there are a multiple of 64, and each column has several threads, whose
// parts meet in shared memory. A thread reads several rows before it waits for the first of them: without,
// too few bytes are on their way to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Parallel loops around a nest that combines one value, of which what is read lies along the innermost
/// parallel loop; else, and where there are columns enough to keep all threads busy, empty.
std::vector<Statement> columns_together(LoopProgram& program, const Loop& top, size_t parallel,
                                        std::vector<int64_t>& extents, const GpuOptions& options);

}  // namespace isomer::codegen
