// A muGraph (Wu et al., Mirage, 2024/25): a program as a graph of kernels, of which some are graphs of what
// one thread block does to tiles of its inputs.
//
// Values of a kernel graph are whole tensors, numbered in order of creation: the inputs first. Values of a
// block graph are tiles: one for each input, then one for each operator. `grid` says how many blocks there
// are, `loops` how often a block runs its body; imap, fmap and omap say which dimension of a tensor they cut.
// What has not passed an accumulator runs in each iteration, what has runs once, after the last one.
//
// A thread graph is the same one level down: what one thread of a block does to its part of tiles. Its `grid`
// are the threads, its loops and accumulators run in registers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mugraph/mu_op.h"

namespace isomer::mugraph {

using ir::kWhole;

struct BlockInput {
  std::array<int, 3> imap{kWhole, kWhole, kWhole};  ///< per grid dimension, the data dimension it cuts
  std::vector<int> fmap;                            ///< the same per loop
  Sizes tile;
};

/// Blocks (or threads) along all three dimensions together.
inline int64_t parts_of(const std::array<int64_t, 3>& grid) { return grid[0] * grid[1] * grid[2]; }

struct BlockGraph;

struct BlockNode {
  MuOpId op = 0;  ///< unless `thread`
  int axis = -1;
  std::vector<uint32_t> operands;  ///< values of the block graph
  Sizes sizes;
  bool after_accum = false;
  /// A graph-defined operator: what its threads do. One of several outputs is a node that shares the graph
  /// and operands of the node before it.
  std::shared_ptr<const BlockGraph> thread = {};
  uint32_t output = 0;  ///< which one of `thread`
};

struct BlockOutput {
  uint32_t value = 0;
  std::array<int, 3> omap{kWhole, kWhole, kWhole};
};

struct BlockGraph {
  std::array<int64_t, 3> grid{1, 1, 1};
  std::array<int64_t, 3> threads{128, 1, 1};
  std::vector<int64_t> loops{1};
  int64_t reduce_to = 64;
  std::vector<BlockInput> inputs;  ///< in the order of the kernel's operands
  std::vector<BlockNode> nodes;
  std::vector<BlockOutput> outputs;  ///< in the order of the kernel's results

  int64_t range() const;
  size_t values() const { return inputs.size() + nodes.size(); }
  /// The node that makes a value, which is no input.
  const BlockNode& node(uint32_t value) const { return nodes[value - inputs.size()]; }
  BlockNode& node(uint32_t value) { return nodes[value - inputs.size()]; }
  const Sizes& sizes(uint32_t value) const {
    return value < inputs.size() ? inputs[value].tile : node(value).sizes;
  }
  bool after_accum(uint32_t value) const { return value >= inputs.size() && node(value).after_accum; }
  Place place(int axis) const { return {axis, range(), reduce_to}; }
};

struct KernelNode {
  MuOpId op = 0;  ///< unless `block`
  int axis = -1;
  std::shared_ptr<const BlockGraph> block;  ///< a graph-defined kernel
  std::vector<uint32_t> operands;
  std::vector<uint32_t> results;
};

struct MuGraph {
  const MuOpTable* ops = &standard_mu_ops();
  std::vector<Sizes> values;  ///< sizes of each tensor
  size_t inputs = 0;          ///< values 0 .. inputs - 1
  std::vector<KernelNode> nodes;
  std::vector<uint32_t> outputs;
};

/// Whether a node runs after the loop, or makes what does.
inline bool accumulates(const MuOpTable& ops, const BlockNode& n) {
  return !n.thread && ops.get(n.op).accumulate != Accumulate::kNone;
}
inline bool runs_max(const MuOpTable& ops, const BlockNode& n) {
  return !n.thread && ops.get(n.op).running_max;
}
/// Whether value `v` of a block graph is a further output of the thread graph that makes the value before it.
bool shares_thread(const BlockGraph& block, uint32_t v);
/// Puts a changed copy in the place of each thread graph.
void change_threads(BlockGraph& block, const std::function<void(BlockGraph&)>& change);

/// Sizes of a tile: the tensor cut by the grid, then by the loops; an error where that does not come out
/// even.
TileShape cut_tile(const Sizes& tensor, const BlockGraph& block, const BlockInput& input);
/// Sizes of the tensor that all blocks together write.
TileShape joined_output(const BlockGraph& block, const BlockOutput& output);

/// The same structure at other sizes: all shapes are computed anew from those of the inputs and from grids,
/// loops and widths, which `graph` already has. Empty string, or which node refused what.
std::string infer_sizes(MuGraph& graph);

/// A listing, for people: kernels, grids, maps, operators and shapes.
std::string print(const MuGraph& graph);

}  // namespace isomer::mugraph
