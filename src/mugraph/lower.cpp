#include "mugraph/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/op_table.h"

namespace isomer::mugraph {
namespace {

using ir::Builder;
using ir::ValueId;

/// `outer`: dimensions that operands and results carry before their own: of a thread graph, those of blocks
/// and their iterations.
class BlockLowering {
 public:
  BlockLowering(Builder& b, const MuOpTable& ops, const BlockGraph& block, const Sizes& outer = {})
      : b_(b), ops_(ops), block_(block), outer_(outer), loops_(static_cast<int>(block.loops.size())) {
    lead_.assign(block.grid.begin(), block.grid.end());
    lead_.insert(lead_.end(), block.loops.begin(), block.loops.end());
  }

  std::vector<ValueId> run(std::span<const ValueId> operands) {
    std::vector<ValueId> values;
    for (size_t i = 0; i < block_.inputs.size(); ++i) values.push_back(tiles(operands[i], block_.inputs[i]));
    const int grid = static_cast<int>(outer_.size()) + 3;
    for (const BlockNode& n : block_.nodes) {
      std::vector<ValueId> in;
      for (uint32_t o : n.operands) in.push_back(values[o]);
      if (n.thread) {
        Sizes around = outer_;
        around.insert(around.end(), lead_.begin(), lead_.end() - (n.after_accum ? loops_ : 0));
        values.push_back(BlockLowering(b_, ops_, *n.thread, around).run(in)[n.output]);
        continue;
      }
      const MuOp& op = ops_.get(n.op);
      const bool before = !n.after_accum || op.accumulate != Accumulate::kNone;
      const bool over_iterations = op.accumulate != Accumulate::kNone || op.running_max;
      const Place place = block_.place(n.axis, before ? grid + loops_ : grid);
      values.push_back(apply_meaning(b_, op, in, place, over_iterations ? loops_ : 0));
    }
    std::vector<ValueId> out;
    for (const BlockOutput& o : block_.outputs) out.push_back(join(values[o.value], o));
    return out;
  }

 private:
  /// [grid..., loops..., tile...] of an operand: each dimension that is cut is split into the parts that cut
  /// it, the outermost first, and these are moved to the front.
  ValueId tiles(ValueId operand, const BlockInput& input) {
    Sizes split = outer_;
    std::vector<int64_t> lead_at(lead_.size(), -1), own_at;
    for (size_t k = 0; k < input.tile.size(); ++k) {
      for (size_t l = 0; l < lead_.size(); ++l) {
        const int cut = l < 3 ? input.imap[l] : input.fmap[l - 3];
        if (cut != static_cast<int>(k)) continue;
        lead_at[l] = static_cast<int64_t>(split.size());
        split.push_back(lead_[l]);
      }
      own_at.push_back(static_cast<int64_t>(split.size()));
      split.push_back(input.tile[k]);
    }
    std::vector<int64_t> perm = carried();
    Sizes moved = outer_, whole = outer_;
    whole.insert(whole.end(), lead_.begin(), lead_.end());
    for (size_t l = 0; l < lead_.size(); ++l) {
      if (lead_at[l] >= 0) perm.push_back(lead_at[l]);
      moved.push_back(lead_at[l] >= 0 ? lead_[l] : 1);
    }
    perm.insert(perm.end(), own_at.begin(), own_at.end());
    moved.insert(moved.end(), input.tile.begin(), input.tile.end());
    whole.insert(whole.end(), input.tile.begin(), input.tile.end());
    const ValueId cut = transpose(b_, reshape(b_, operand, split), perm);
    return broadcast(b_, reshape(b_, cut, moved), whole);
  }

  /// The tensor that tiles [grid..., tile...] make together.
  ValueId join(ValueId tile, const BlockOutput& output) {
    const Sizes& own = block_.sizes(output.value);
    const auto first = static_cast<int64_t>(outer_.size());
    std::vector<int64_t> perm = carried();
    Sizes joined = outer_;
    // Grid dimensions of 1 that omap does not name go anywhere: to the front.
    for (int64_t d = 0; d < 3; ++d)
      if (output.omap[static_cast<size_t>(d)] == kWhole) perm.push_back(first + d);
    for (size_t k = 0; k < own.size(); ++k) {
      int64_t size = own[k];
      for (size_t d = 0; d < 3; ++d) {
        if (output.omap[d] != static_cast<int>(k)) continue;
        perm.push_back(first + static_cast<int64_t>(d));
        size *= block_.grid[d];
      }
      perm.push_back(first + static_cast<int64_t>(3 + k));
      joined.push_back(size);
    }
    return reshape(b_, transpose(b_, tile, perm), joined);
  }

  std::vector<int64_t> carried() const {
    std::vector<int64_t> out(outer_.size());
    std::iota(out.begin(), out.end(), int64_t{0});
    return out;
  }

  Builder& b_;
  const MuOpTable& ops_;
  const BlockGraph& block_;
  Sizes outer_;
  int loops_;
  Sizes lead_;
};

}  // namespace

ir::Graph lower(ir::Context& ctx, const MuGraph& graph, ir::DType dtype) {
  Builder b(ctx, "mugraph");
  std::vector<ValueId> values(graph.values.size());
  for (size_t i = 0; i < graph.inputs; ++i)
    values[i] = b.input(fmt::format("x{}", i), ctx.tensor_type(dtype, ir::static_shape(graph.values[i])));
  for (const KernelNode& n : graph.nodes) {
    std::vector<ValueId> in;
    for (uint32_t o : n.operands) in.push_back(values[o]);
    if (n.block) {
      const auto out = BlockLowering(b, *graph.ops, *n.block).run(in);
      for (size_t i = 0; i < out.size(); ++i) values[n.results[i]] = out[i];
    } else {
      values[n.results[0]] = apply_meaning(b, graph.ops->get(n.op), in, Place{0, n.axis, 1, 0});
    }
  }
  std::vector<ValueId> outputs;
  for (uint32_t o : graph.outputs) outputs.push_back(values[o]);
  return b.finish(std::move(outputs));
}

}  // namespace isomer::mugraph
