// What a muGraph must be to be one: the checkable form of Mirage's definition 2.1. Operators fit their
// operands and their level, every path of a block or thread graph crosses one accumulator, blocks (and the
// threads of one) write all of each output and no element twice, and tiles fit the memory of their level.
#pragma once

#include <limits>
#include <string>

#include "mugraph/mugraph.h"

namespace isomer::mugraph {

struct MemoryLimits {
  int64_t shared_bytes = 96 * 1024;  ///< of a block (the public project's limit)
  /// Of a block that loops, for the tiles that an iteration loads and makes anew.
  int64_t iteration_bytes = std::numeric_limits<int64_t>::max();
  int64_t device_bytes = int64_t{2} << 30;    ///< of all tensors of the kernel graph
  int64_t register_bytes = 255 * 4;           ///< of a thread, for its tiles
  int element_bytes = 2;                      ///< float16
  const char* shared_name = "shared memory";  ///< what holds a block's tiles
};

/// Bytes of shared memory as Mirage's search estimates them: the sizes of all tiles, except that elementwise
/// operators of one operand and plain accumulators work in place. Lifetimes are not looked at. Of a thread
/// graph: bytes of registers of one thread.
int64_t shared_bytes(const MuOpTable& ops, const BlockGraph& block, int element_bytes);
/// The same of the tiles that come and go with each iteration: loads that change with it and what is made of
/// them, but not what accumulates. 0 where the block has one iteration.
int64_t iteration_bytes(const MuOpTable& ops, const BlockGraph& block, int element_bytes);

/// Operands, arities and levels, without looking at sizes: what infer_sizes relies on. Empty, or what is
/// wrong.
std::string check_structure(const MuGraph& graph);
/// Structure, shapes, coverage: empty, or the first thing that is wrong, with its kernel and node.
std::string check_spec(const MuGraph& graph);
/// Memory of one kernel: empty, or what does not fit.
std::string check_block_memory(const MuOpTable& ops, const BlockGraph& block, const MemoryLimits& limits);
/// Memory: empty, or what does not fit.
std::string check_memory(const MuGraph& graph, const MemoryLimits& limits);

}  // namespace isomer::mugraph
