// Sums of many terms for few results: with a block for each tile of the result most of a processor would have
// nothing to do. So the sum is cut into parts, whose results a second nest combines, with what comes after
// the sum ("split-k" of CUTLASS, Kerr et al. 2017; in parallel, not serial). How many parts follows from how
// many blocks there are without, or, of products by threads, from how long tiles of all parts take (unlike
// stream-k: Osama et al., PPoPP 2023, which gives each block the same number of terms). It is a change of
// loops: parts are one more axis of the result, so that whatever is known of tiles, rows and columns serves
// here too, and no element is added to by two blocks (no atomics): the same inputs give the same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Two nests in place of one that combines a value, of whose loops the first `parallel` may run in any order:
/// the parts, to memory, and what combines them. Empty where it has blocks enough, or too few terms.
std::vector<Loop> split_sum(LoopProgram& program, const Loop& top, size_t parallel,
                            std::span<const int64_t> extents, const GpuOptions& options);

}  // namespace isomer::codegen
