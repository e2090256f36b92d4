// Block level: operators in canonical order, and the end, where what nothing uses is saved. Where a grid
// dimension cut an axis of the tile the blocks' tiles lie side by side along it again; where that axis was
// summed away each block has a partial result, and these come to lie side by side along some dimension, for a
// later kernel to add up.
#include <algorithm>
#include <array>

#include "mugraph/generate.h"

namespace isomer::mugraph {

std::optional<Generator::Facts> Generator::facts_of(const BlockState& b, const MuOp& op,
                                                    std::span<const uint32_t> operands, KindId result) const {
  Facts out = b.facts[operands[0]];
  const bool provisional = out.provisional;  // what is added up
  for (uint32_t o : operands) {
    if (b.facts[o].after != out.after) return std::nullopt;
    out.looped = out.looped || b.facts[o].looped;
    out.reduced = out.reduced || b.facts[o].reduced;
    out.provisional = out.provisional || b.facts[o].provisional;
  }
  const bool loops = b.graph.range() > 1;
  out.maximum = op.running_max;
  if (op.running_max) {
    if (out.after || out.provisional || (loops && !out.looped)) return std::nullopt;
    out.provisional = loops;
  }
  if (op.accumulate != Accumulate::kNone) {
    if (out.after) return std::nullopt;
    const bool rescales = op.accumulate == Accumulate::kRescale;
    if (rescales != provisional || (rescales && !b.facts[operands[1]].maximum)) return std::nullopt;
    out.provisional = false;
    // The same value in each iteration: its sum is a multiple of it.
    if (options_.canonical && loops && !out.looped) return std::nullopt;
    out.after = true;
    out.reduced = kinds_.get(result).sizes != kinds_.get(b.kinds[operands[0]]).sizes;
  } else if (options_.canonical && !loops && out.after && !out.reduced) {
    return std::nullopt;  // without a loop, accumulating later is the same: one place is enough
  }
  return out;
}

void Generator::block(const KernelState& state, BlockState& b) {
  ++out_.states;
  if (stopped()) return;
  close_block(state, b);
  const int left = options_.max_block_ops - static_cast<int>(b.kinds.size());
  if (left <= 0) return;
  int sinks = 0, loose = 0;  // what nothing uses yet; of these, what no accumulator has seen
  for (size_t v = 0; v < b.uses.size(); ++v) {
    if (b.uses[v] > 0) continue;
    ++sinks;
    loose += !b.facts[v].after;
  }
  const int outputs = last_one(state) ? 1 : options_.max_block_outputs;
  // Each operator uses up one tile more than it makes at most; with concat_matmul three.
  const int least = (std::max(0, sinks - outputs) + most_operands_ - 2) / (most_operands_ - 1);
  if (least + (loose > 0) > left) return;
  const KindPlace place{true, -1, b.graph.range(), b.graph.reduce_to};
  for (MuOpId id : block_ops_) {
    const MuOp& op = ops_.get(id);
    operand_lists(op, id, b.kinds.size(), b.last, [&](std::span<const uint32_t> operands) {
      std::array<KindId, 4> kinds{};
      for (size_t i = 0; i < operands.size(); ++i) kinds[i] = b.kinds[operands[i]];
      for (uint32_t o : operands)
        if (b.facts[o].after != b.facts[operands[0]].after) return;
      const auto kind = kinds_.apply(id, std::span(kinds).first(operands.size()), place);
      if (!kind || !possible(*kind)) return;
      const auto facts = facts_of(b, op, operands, *kind);
      if (!facts || (options_.canonical && repeats(b, *kind, facts->after))) return;
      const Rank last = b.last;
      b.graph.nodes.push_back(
          {id, -1, {operands.begin(), operands.end()}, kinds_.get(*kind).sizes, facts->after});
      b.kinds.push_back(*kind);
      b.facts.push_back(*facts);
      b.uses.push_back(0);
      for (uint32_t o : operands) ++b.uses[o];
      b.last = rank_of(operands, id);
      block(state, b);
      for (uint32_t o : operands) --b.uses[o];
      b.graph.nodes.pop_back();
      b.kinds.pop_back();
      b.facts.pop_back();
      b.uses.pop_back();
      b.last = last;
    });
  }
}

/// Whether the block has a tile of this value already: same axes, and equal by the axioms.
bool Generator::repeats(const BlockState& b, KindId kind, bool after) {
  const Kind& next = kinds_.get(kind);
  for (size_t v = 0; v < b.kinds.size(); ++v) {
    if (b.facts[v].after != after) continue;
    if (b.kinds[v] == kind) return true;
    const Kind& is = kinds_.get(b.kinds[v]);
    if (options_.prune && is.sizes == next.sizes && is.axes == next.axes &&
        oracle_.class_of(is.term) == oracle_.class_of(next.term))
      return true;
  }
  return false;
}

void Generator::close_block(const KernelState& state, const BlockState& b) {
  std::vector<uint32_t> sinks;
  for (uint32_t v = 0; v < b.uses.size(); ++v) {
    if (b.uses[v] > 0) continue;
    if (!b.facts[v].after) return;
    sinks.push_back(v);
  }
  if (sinks.empty() ||
      sinks.size() > (last_one(state) ? 1U : static_cast<size_t>(options_.max_block_outputs)))
    return;
  std::vector<BlockOutput> outputs;
  std::vector<KindId> kinds;
  save_outputs(state, b, sinks, 0, outputs, kinds);
}

/// Puts the tiles of the blocks along one grid dimension side by side; whether that undoes a cut.
bool Generator::join(Kind& kind, const Opening& opening, size_t g, size_t d) {
  Axes& axes = kinds_.axes();
  const int by = static_cast<int>(g);
  const bool natural = axes.is_cut(kind.axes[d], by);
  if (natural) {
    const auto whole = axes.uncut(kind.axes[d], by, kind.sizes[d], kModelGrid);
    const AxisId part[] = {kind.axes[d]};
    kind.axes[d] = whole ? *whole : axes.derived("join" + std::to_string(by), part);
  } else {
    const AxisId cut[] = {opening.grid[g]};
    kind.axes[d] = axes.side_by_side(axes.derived("parts", cut), kind.axes[d], kind.sizes[d]);
  }
  kind.sizes[d] *= kModelGrid;
  return natural;
}

void Generator::save_outputs(const KernelState& state, const BlockState& b,
                             const std::vector<uint32_t>& sinks, size_t next,
                             std::vector<BlockOutput>& outputs, std::vector<KindId>& kinds) {
  if (next == sinks.size()) {
    Step step{{}, b.opening.grid, b.opening.loop};
    auto graph = std::make_shared<BlockGraph>(b.graph);
    graph->outputs = outputs;
    step.node.block = std::move(graph);
    step.node.operands = b.opening.operands;
    for (size_t o = 0; o < outputs.size(); ++o)
      step.node.results.push_back(static_cast<uint32_t>(state.kinds.size() + o));
    emit(state, std::move(step), kinds);
    return;
  }
  // From the last grid dimension to the first: an axis that two of them cut was cut by the first one first.
  std::vector<std::pair<BlockOutput, Kind>> ways = {
      {{sinks[next], {kWhole, kWhole, kWhole}}, kinds_.get(b.kinds[sinks[next]])}};
  for (size_t g = b.opening.grid.size(); g-- > 0;) {
    std::vector<std::pair<BlockOutput, Kind>> more;
    for (const auto& [output, kind] : ways) {
      const auto own = std::ranges::find_if(
          kind.axes, [&](AxisId a) { return kinds_.axes().is_cut(a, static_cast<int>(g)); });
      for (size_t d = 0; d < kind.axes.size(); ++d) {
        if (own != kind.axes.end() && own != kind.axes.begin() + static_cast<std::ptrdiff_t>(d)) continue;
        BlockOutput o = output;
        Kind k = kind;
        o.omap[g] = static_cast<int>(d);
        if (!join(k, b.opening, g, d) && last_one(state)) continue;  // partial results are no program
        more.emplace_back(o, std::move(k));
      }
    }
    ways = std::move(more);
  }
  for (const auto& [output, kind] : ways) {
    const KindId id = kinds_.add(kind);
    if (last_one(state) && !is_goal(id)) continue;
    outputs.push_back(output);
    kinds.push_back(id);
    save_outputs(state, b, sinks, next + 1, outputs, kinds);
    outputs.pop_back();
    kinds.pop_back();
  }
}

}  // namespace isomer::mugraph
