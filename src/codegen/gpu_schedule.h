// How the loops of a program run on a graphics processor: parallel loops around each other are its blocks,
// and within a block each store is done by threads. What schedule.h does for lanes of a vector serves here as
// well: a block is a very wide vector, whose lanes have registers of their own. One thread has one element
// where elements need little; one block has a row where rows are reduced (as in the row kernels of Triton:
// Tillet, Kung, Cox, MAPL 2019); products have tiles (gpu_products.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/loop_program.h"
#include "machine/gpu.h"

namespace isomer::codegen {

struct GpuOptions {
  int64_t threads = 256;  ///< of a block, at most
  int64_t warp = kWarp;   ///< fewer elements than these have no threads of their own beside each other
  int64_t of_row = 16;    ///< elements of a thread, if there are rows enough for all threads
  int64_t unrolled = 32;  ///< elements of a thread that have registers
  int64_t together = 8;   ///< neighbouring elements of a thread, at most
  int64_t tile = 128;     ///< rows and columns of a block's tile of a product, at most
  bool tensor_cores = true;
  bool warpgroups = false;  ///< tensor cores multiply from shared memory, four warps at a time (sm_90a)
  int64_t shared_bytes = machine::kH100Gpu.limits.block_shared_bytes;  ///< that a block may have
  int64_t stages = 3;  ///< slices in shared memory, one in use and the others on their way
  int64_t depth = 16;  ///< of its operands that are shared at a time
  /// That run at once: with fewer, tiles are smaller.
  int64_t blocks = machine::kH100Gpu.limits.multiprocessors;
  int64_t parts = 16;           ///< of a sum, at most: where blocks are few (gpu_split_sums.h)
  int64_t part_terms = 256;     ///< of a part, at least
  double kernel_units = 2.5e5;  ///< what one more kernel takes, as gpu_products.cpp counts
  int64_t busy = 1024;  ///< threads beside each other that hide what each waits for, of each such block
};

/// Of a processor as LLVM names it: sm_80, sm_90.
GpuOptions gpu_options_for(const std::string& gpu);

LoopProgram schedule_for_gpu(LoopProgram program, const GpuOptions& options = {});

/// One of the statements that a block runs one after the other, `beside`, by the block's threads.
std::vector<Statement> in_threads_of_block(LoopProgram& program, Statement s,
                                           const std::vector<Statement>& beside, const GpuOptions& options);

}  // namespace isomer::codegen
