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
#include "mugraph/target.h"

namespace isomer::mugraph {

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
  explicit Pricing(const Target& target = a100_target(), const MuOpTable& ops = standard_mu_ops());

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
  Machine machine_;
  int bytes_;
  std::vector<bool> elementwise_;
  std::map<std::pair<std::string, std::vector<int64_t>>, cost::Work> work_;
};

/// Elements that one block loads from device memory in all its iterations; what does not depend on the
/// iteration is loaded once, what depends on an inner loop only in each iteration of the outer one.
int64_t elements_loaded(const BlockGraph& block);

/// A line for each kernel.
std::string print(const MuCost& cost, const Machine& machine = a100());

}  // namespace isomer::mugraph
