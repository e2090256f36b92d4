#include "mugraph/structural_hash.h"

#include <algorithm>

#include "support/hash.h"

namespace isomer::mugraph {
namespace {

class Hasher {
 public:
  Hasher(const MuGraph& graph, bool sizes) : graph_(graph), sizes_(sizes), values_(graph.values.size()) {}

  uint64_t run() {
    for (size_t i = 0; i < graph_.inputs; ++i) values_[i] = hash_combine(1, i);
    for (const KernelNode& n : graph_.nodes) {
      std::vector<uint64_t> operands;
      for (uint32_t o : n.operands) operands.push_back(values_[o]);
      if (!n.block) {
        values_[n.results[0]] = node_hash(n.op, n.axis, operands);
        continue;
      }
      std::vector<uint64_t> best = of_block(*n.block, operands, {0, 1, 2});
      std::array<size_t, 3> order = {0, 1, 2};
      while (!sizes_ && std::ranges::next_permutation(order).found)
        best = std::min(best, of_block(*n.block, operands, order));
      for (size_t o = 0; o < best.size(); ++o) values_[n.results[o]] = best[o];
    }
    uint64_t h = graph_.inputs;
    for (uint32_t o : graph_.outputs) h = hash_combine(h, values_[o]);
    return h;
  }

 private:
  uint64_t node_hash(MuOpId id, int axis, std::vector<uint64_t> operands) const {
    if (graph_.ops->get(id).commutative) std::ranges::sort(operands);
    uint64_t h = hash_combine(id, static_cast<uint64_t>(axis) + 1);
    for (uint64_t o : operands) h = hash_combine(h, o);
    return h;
  }

  static uint64_t map_hash(const std::array<int, 3>& map, const std::array<size_t, 3>& order) {
    uint64_t h = 17;
    for (size_t d : order) h = hash_combine(h, static_cast<uint64_t>(map[d]) + 1);
    return h;
  }

  uint64_t extent(int64_t parts) const {
    return static_cast<uint64_t>(sizes_ ? parts : std::min<int64_t>(parts, 2));
  }

  /// Hashes of the outputs, the grid dimensions taken in this order.
  std::vector<uint64_t> of_block(const BlockGraph& b, const std::vector<uint64_t>& operands,
                                 const std::array<size_t, 3>& order) const {
    uint64_t shape = sizes_ ? static_cast<uint64_t>(b.reduce_to) : 0;
    for (size_t d : order) shape = hash_combine(shape, extent(b.grid[d]));
    for (int64_t l : b.loops) shape = hash_combine(shape, extent(l));
    std::vector<uint64_t> tiles;
    for (size_t i = 0; i < b.inputs.size(); ++i) {
      uint64_t h = hash_combine(hash_combine(operands[i], map_hash(b.inputs[i].imap, order)), shape);
      for (int d : b.inputs[i].fmap) h = hash_combine(h, static_cast<uint64_t>(d) + 1);
      tiles.push_back(h);
    }
    for (const BlockNode& t : b.nodes) {
      std::vector<uint64_t> in;
      for (uint32_t o : t.operands) in.push_back(tiles[o]);
      // The same threads in another order of their dimensions count as others.
      tiles.push_back(t.thread ? of_block(*t.thread, in, {0, 1, 2})[t.output]
                               : node_hash(t.op, t.axis, std::move(in)));
    }
    std::vector<uint64_t> out;
    for (const BlockOutput& o : b.outputs)
      out.push_back(hash_combine(tiles[o.value], map_hash(o.omap, order)));
    return out;
  }

  const MuGraph& graph_;
  bool sizes_;
  std::vector<uint64_t> values_;
};

}  // namespace

uint64_t structural_hash(const MuGraph& graph) { return Hasher(graph, true).run(); }
uint64_t structure_hash(const MuGraph& graph) { return Hasher(graph, false).run(); }

}  // namespace isomer::mugraph
