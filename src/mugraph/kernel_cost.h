// What running a muGraph costs, before anything is measured: what ranks verified muGraphs.
//
// A roofline of four levels (device memory, the cache that all blocks share, shared memory, arithmetic) as
// far as the blocks fill the machine, and what does not overlap with it: the launch, for each wave of blocks
// the latency of loads and barriers, and the levels with each other where a multiprocessor has but one tile
// on its way. Bytes and barriers are those of the block plan; how many blocks a multiprocessor holds follows
// from their shared memory and threads. A block loads the tiles of the next iteration while it computes,
// unless waiting for them is cheaper than the memory that this takes.
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
  double matmul_flops_per_second = 0;  ///< of products, on half-precision matrix units
  double flops_per_second = 0;         ///< of all else
  double launch_seconds = 0;           ///< from one kernel to the next
  double load_seconds = 0, barrier_seconds = 0;
};

/// NVIDIA A100 40 GB: data sheet and architecture white paper (108 multiprocessors of 164 KiB, 1,555 GB/s,
/// 5,120 bytes a cycle of L2, 128 of each shared memory, 312 and 19.5 TFLOP/s); the latencies are customary
/// figures.
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
