// What running a muGraph costs, before anything is measured: what ranks verified muGraphs.
//
// A roofline of five levels (device memory, the cache that all blocks share, the way from it to one
// multiprocessor, shared memory, arithmetic), the last three on the multiprocessor with the most blocks; and
// what does not overlap with it: the gap between kernels, for each wave of blocks the latency of loads and
// barriers, and the levels with each other where a multiprocessor has but one tile on its way. Bytes and
// barriers are those of the block plan; how many blocks a multiprocessor holds follows from their shared
// memory and threads. A block loads the tiles of the next iteration while it computes, unless waiting for
// them is cheaper than the memory that this takes; either way an iteration is not shorter than the latency of
// the one load that is on its way. Products pay for whole fragments of the matrix units: four rows cost as
// much as eight. That is what a kernel loses that splits only the queries of attention (figure 8a: long loops
// over thin tiles) against one that splits keys too and needs a second kernel (8b).
//
// Mirage's project measures each candidate instead; its paper's cost is what is loaded. Not seen: bank
// conflicts, registers, how good the code of a tile is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cost/flops.h"
#include "mugraph/mugraph.h"

namespace isomer::mugraph {

struct GpuProfile {
  std::string name;
  int multiprocessors = 0;
  int64_t shared_bytes = 0;        ///< of a multiprocessor
  int64_t block_shared_bytes = 0;  ///< that one block may have
  int threads = 0, blocks = 0;     ///< that a multiprocessor holds at most
  double device_bytes_per_second = 0, l2_bytes_per_second = 0, shared_bytes_per_second = 0;
  double l2_bytes_per_second_each = 0;  ///< into one multiprocessor
  double matmul_flops_per_second = 0;   ///< of products, on half-precision matrix units
  int64_t fragment = 1;                 ///< matrix units take products of multiples of this size
  double flops_per_second = 0;          ///< of all else, and of products where that is quicker
  double launch_seconds = 0;            ///< between two kernels that are queued
  double load_seconds = 0;              ///< from device memory, nothing else on its way
  double barrier_seconds = 0;           ///< until what threads wrote to shared memory can be read
};

/// NVIDIA A100 40 GB at 1.41 GHz. Data sheet and architecture white paper: 108 multiprocessors of 164 KiB,
/// 312 and 19.5 TFLOP/s, 128 bytes a cycle of each shared memory. Fragments are of 16 x 8 by 16 (PTX,
/// mma.m16n8k16), either operand on either side. Measured by Luo et al. (2024, arXiv 2402.13499): 1,407.2
/// GB/s of device memory, 2,007.9 bytes a cycle of L2 (its peak is 5,120), latencies of 466.3 cycles of
/// device memory and 29.0 of shared memory. Into one multiprocessor 64 bytes a cycle come from L2 (Jia et al.
/// 2018, for Volta). The gap between queued kernels: 0.9 us (Gray, NVIDIA, 2019, on V100: 3.8 us a kernel
/// of 2.9; 3.4 in a CUDA graph).
const GpuProfile& a100();

struct KernelCost {
  double device_bytes = 0;  ///< each operand and result once
  double l2_bytes = 0;      ///< what all blocks load and save
  double shared_bytes = 0;  ///< what all blocks write to and read from shared memory
  double flops = 0;
  int64_t blocks = 0, waves = 0;
  int resident = 0;           ///< blocks at one time on a multiprocessor
  int64_t shared_memory = 0;  ///< bytes of a block
  int64_t barriers = 0;       ///< that one block meets
  bool ahead = false;         ///< loads tiles one iteration early
  double seconds = 0;
};

struct MuCost {
  std::vector<KernelCost> kernels;
  double seconds = 0;
  double bytes() const;  ///< between device memory and blocks
};

/// Prices muGraphs of one table of operators; remembers what it has derived from their meanings.
class Pricing {
 public:
  explicit Pricing(const MuOpTable& ops = standard_mu_ops(), int element_bytes = 2,
                   const GpuProfile& profile = a100());

  /// All shapes must be known (infer_sizes). REQUIREs that it has these operators.
  MuCost price(const MuGraph& graph);

 private:
  /// `device`: bytes of its operands and results.
  KernelCost price(const BlockGraph& block, double device, bool ahead);
  /// Seconds of arithmetic if all multiprocessors were busy: products in whole fragments, or without them.
  double arithmetic_seconds(const MuOp& op, std::vector<Sizes> operands, const Place& place,
                            const cost::Work& work);
  /// The same of all operators of so many blocks, or threads; their operations are added to `out`.
  double add_arithmetic(const BlockGraph& b, double parts, KernelCost& out);
  cost::Work work(const MuOp& op, const std::vector<Sizes>& operands, const Place& place);

  const MuOpTable& ops_;
  const GpuProfile& profile_;
  int bytes_;
  std::vector<bool> elementwise_;
  std::map<std::pair<std::string, std::vector<int64_t>>, cost::Work> work_;
};

/// Elements that one block loads from device memory in all its iterations; what does not depend on the
/// iteration is loaded once.
int64_t elements_loaded(const BlockGraph& block);

/// A line for each kernel.
std::string print(const MuCost& cost);

}  // namespace isomer::mugraph
