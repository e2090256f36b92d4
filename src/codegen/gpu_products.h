// Products on a graphics processor: a block has a tile of the result, whose sums its threads keep in
// registers, and goes along the reduction with a slice of both operands in shared memory, the next slice
// being on its way meanwhile (Volkov, Demmel: SC 2008; Nath, Tomov, Dongarra: 2010). A warp's threads are
// four by eight of a tile, as in CUTLASS (Kerr et al., 2017): they read little of shared memory at a time.
// Here a formula that was fitted to times says which tile, and in how many parts the sum is. As for
// processors (products.h) the nest may be any: which axes of the result are rows and which are columns is
// read from the indices, so that convolutions, grouped and batched products are the same code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/gpu_product_nest.h"
#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// The nest in tiles; empty where it is no product of two operands. `parallel`: how many of its loops, from
/// outside, may run in any order. `extents`: of all variables (accesses.h).
std::vector<Statement> product_in_tiles(LoopProgram& program, const Loop& top, size_t parallel,
                                        std::span<const int64_t> extents, const GpuOptions& options);

/// What such a product takes by threads if its sum is in so many parts (1: it is whole), to compare.
double units_of_product(const Product& product, const GpuOptions& options, int64_t parts);

}  // namespace isomer::codegen
