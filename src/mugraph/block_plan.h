// How a block runs: thread graphs, an order with the fewest barriers, and a place in shared memory for each
// tile.
//
// Thread graphs (Mirage's rule): an elementwise operator of one operand, or a plain accumulator, runs on the
// values that its producer has in registers, if nothing else uses them and the producer is neither a load nor
// an accumulator. Each thread graph is as deep as its longest path from the inputs; those of one depth run
// together, and one barrier stands between two depths. Fewer are impossible: each step of a longest path
// waits for the one before.
#pragma once

#include <string>
#include <vector>

#include "mugraph/mugraph.h"
#include "support/memory_plan.h"

namespace isomer::mugraph {

/// Operators that one thread runs without leaving its registers: the first, then what is fused to it. The
/// first may be a thread graph that the muGraph states (BlockNode::thread), of one or more outputs.
struct ThreadGraph {
  std::vector<uint32_t> values;  ///< of the block graph; those that no other of them reads are stored
  bool after_loop = false;
  int step = 0;  ///< of the schedule; equal for those that run together
};

struct BlockPlan {
  std::vector<ThreadGraph> threads;  ///< in the order in which they run
  int loop_barriers = 0;             ///< in each iteration, with those that end it and wait for loads
  int after_barriers = 0;            ///< after the loop
  std::vector<uint32_t> stored;      ///< values that have a buffer
  /// Of each. Two halves have running maxima (of this iteration and the one before) and, ahead, loads that
  /// change with the iteration.
  std::vector<Lifetime> buffers;
  MemoryPlan memory;
};

struct BlockPlanOptions {
  int element_bytes = 2;
  bool ahead = true;  ///< tiles of the next iteration are loaded during this one, into a second half
  uint64_t memory_nodes = 1'000'000;
  const std::vector<bool>* elementwise = nullptr;  ///< of each operator (elementwise_ops), where it is known
};

/// Whether each element of an operator's result depends on the same element of its only operand.
std::vector<bool> elementwise_ops(const MuOpTable& ops);

BlockPlan plan_block(const MuOpTable& ops, const BlockGraph& block, const BlockPlanOptions& options = {});

/// A listing: thread graphs by step, barriers, offsets.
std::string print(const BlockPlan& plan, const MuOpTable& ops, const BlockGraph& block);

}  // namespace isomer::mugraph
