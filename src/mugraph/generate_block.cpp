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
  Facts out = b.tiles[operands[0]].facts;
  const bool provisional = out.provisional;  // what is added up
  for (size_t o = 0; o < operands.size(); ++o) {
    const Facts& is = b.tiles[operands[o]].facts;
    if (is.after != out.after) return std::nullopt;
    if (static_cast<int>(o) == op.shape_operand) continue;
    out.looped |= is.looped;
    out.reduced = out.reduced || is.reduced;
    out.provisional = out.provisional || is.provisional;
  }
  const bool loops = b.place.range > 1;
  // The same value in each iteration of some loop: its sum over that loop is a multiple of it.
  const bool repeated = out.looped + 1U != 1U << b.opening.loops.size();
  out.maximum = op.running_max;
  if (op.running_max) {
    if (out.after || out.provisional || (loops && repeated)) return std::nullopt;
    out.provisional = loops;
  }
  if (op.accumulate != Accumulate::kNone) {
    if (out.after) return std::nullopt;
    const bool rescales = op.accumulate == Accumulate::kRescale;
    if (rescales != provisional || (rescales && !b.tiles[operands[1]].facts.maximum)) return std::nullopt;
    out.provisional = false;
    if (options_.canonical && loops && repeated) return std::nullopt;
    out.after = true;
    out.reduced = kinds_.get(result).sizes != kinds_.get(b.tiles[operands[0]].kind).sizes;
  } else if (options_.canonical && !loops && out.after && !out.reduced) {
    return std::nullopt;  // without a loop, accumulating later is the same: one place is enough
  }
  return out;
}

void Generator::add_candidate(BlockState& b, std::span<const uint32_t> operands, const Application& a) {
  const MuOp& op = ops_.get(a.op);
  const bool after = op.accumulate != Accumulate::kNone || b.tiles[operands[0]].facts.after;
  if (b.needed && (*b.needed)(after, 0, a.part) >= operators_left(b)) return;
  const auto facts = facts_of(b, op, operands, a.kind);
  if (!facts) return;
  Candidate c{rank_of(operands, a.op),
              a.op,
              static_cast<uint8_t>(operands.size()),
              {},
              {a.kind, a.value, a.part, *facts, 0}};
  if (options_.canonical && repeats(b, c.tile)) return;
  std::ranges::copy(operands, c.operands.begin());
  b.candidates.push_back(c);
}

/// Those that have the newest tile among their operands.
void Generator::add_candidates(const KernelState& state, BlockState& b) {
  const size_t before = b.candidates.size();
  const auto newest = static_cast<uint32_t>(b.tiles.size() - 1);
  const Tile& tile = b.tiles.back();
  const auto count = [&](const Applications::List& list) {
    out_.queries += list.queries;
    out_.pruned += list.pruned;
    return list.applications;
  };
  // The last operator of a block with one output has to use up all that is left at once.
  std::optional<uint32_t> other;
  if (operators_left(b) == 1 && most_outputs(state) == 1 && wide_ops_.empty())
    for (uint32_t v = 0; v < newest; ++v)
      if (b.tiles[v].uses == 0) other = v;
  if (!other)
    for (const Application& a : count(applications_.of(tile.kind, b.place)))
      add_candidate(b, std::array{newest}, a);
  for (uint32_t v = other.value_or(0); v <= other.value_or(newest); ++v) {
    if (b.tiles[v].facts.after != tile.facts.after) continue;
    for (const Application& a : count(applications_.of(b.tiles[v].kind, tile.kind, v == newest, b.place)))
      add_candidate(b, a.swapped ? std::array{newest, v} : std::array{v, newest}, a);
  }
  // (W || X)(Y || Z): the pairs may be swapped, the factors may have a tile in common.
  for (MuOpId op : wide_ops_)
    for (uint32_t w = 0; w <= newest; ++w)
      for (uint32_t x = w + 1; x <= newest; ++x)
        for (uint32_t y = 0; y <= newest; ++y)
          for (uint32_t z = 0; z <= newest; ++z) {
            const std::array operands = {w, x, y, z};
            if (y == z || std::ranges::find(operands, newest) == operands.end()) continue;
            std::array<KindId, 4> kinds{};
            bool fits = true;
            for (size_t i = 0; i < 4; ++i) {
              kinds[i] = b.tiles[operands[i]].kind;
              fits = fits && b.tiles[operands[i]].facts.after == tile.facts.after;
            }
            if (!fits) continue;
            const auto kind = kinds_.apply(op, kinds, b.place);
            if (kind && possible(*kind))
              add_candidate(b, operands,
                            {op, false, *kind, applications_.value_of(*kind), applications_.part_of(*kind)});
          }
  std::ranges::sort(b.candidates.begin() + static_cast<std::ptrdiff_t>(before), b.candidates.end(), {},
                    &Candidate::rank);
}

bool Generator::enough_left(const KernelState& state, const BlockState& b) const {
  const int left = operators_left(b);
  int sinks = 0, loose = 0;  // what nothing uses yet; of these, what no accumulator has seen
  for (const Tile& t : b.tiles) {
    if (t.uses > 0) continue;
    ++sinks;
    loose += !t.facts.after;
  }
  // Each operator uses up one tile more than it makes at most; with concat_matmul three.
  const int merges = (std::max(0, sinks - most_outputs(state)) + most_operands_ - 2) / (most_operands_ - 1);
  if (merges + (loose > 0) > left) return false;
  if (!b.needed) return true;
  return std::ranges::all_of(b.tiles, [&](const Tile& t) {
    return t.uses > 0 || (*b.needed)(t.facts.after, merges, t.part) <= left;
  });
}

void Generator::block(const KernelState& state, BlockState& b, size_t next) {
  ++out_.states;
  if (stopped()) return;
  close_block(state, b);
  if (operators_left(b) <= 0) return;
  const size_t known = b.candidates.size();
  add_candidates(state, b);
  const size_t end = b.candidates.size();
  for (size_t i = options_.canonical ? next : 0; i < end; ++i) {
    const Candidate c = b.candidates[i];
    if (options_.canonical && repeats(b, c.tile)) continue;
    b.nodes.push_back(c);
    b.tiles.push_back(c.tile);
    // A tile of which only the sizes were looked at has not been used.
    const int shape = ops_.get(c.op).shape_operand;
    const auto use = [&](int more) {
      for (int o = 0; o < c.arity; ++o) {
        uint8_t& uses = b.tiles[c.operands[static_cast<size_t>(o)]].uses;
        if (o != shape) uses = static_cast<uint8_t>(uses + more);
      }
    };
    use(1);
    if (enough_left(state, b)) block(state, b, i + 1);
    use(-1);
    b.tiles.pop_back();
    b.nodes.pop_back();
  }
  b.candidates.resize(known);
}

/// Whether the block has a tile of this value already: same axes, and equal by the axioms.
bool Generator::repeats(const BlockState& b, const Tile& tile) const {
  return std::ranges::any_of(
      b.tiles, [&](const Tile& t) { return t.value == tile.value && t.facts.after == tile.facts.after; });
}

void Generator::close_block(const KernelState& state, const BlockState& b) {
  const auto most = static_cast<size_t>(most_outputs(state));
  std::vector<uint32_t> sinks;
  for (uint32_t v = 0; v < b.tiles.size(); ++v) {
    if (b.tiles[v].uses > 0) continue;
    if (!b.tiles[v].facts.after || sinks.size() == most) return;
    sinks.push_back(v);
  }
  if (sinks.empty()) return;
  if (last_one(state) && !oracle_.equals_target(kinds_.get(b.tiles[sinks[0]].kind).term)) return;
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
    Step step{{}, b.opening.grid, b.opening.loops};
    auto graph = std::make_shared<BlockGraph>();
    for (size_t g = 0; g < b.opening.grid.size(); ++g) graph->grid[g] = kModelGrid;
    graph->loops.assign(std::max<size_t>(1, b.opening.loops.size()),
                        b.opening.loops.empty() ? 1 : kModelLoop);
    graph->reduce_to = b.place.reduce_to;
    graph->inputs = b.inputs;
    for (const Candidate& c : b.nodes) {
      const Sizes& sizes = kinds_.get(c.tile.kind).sizes;
      graph->nodes.push_back({c.op,
                              last_axis(ops_.get(c.op), sizes),
                              {c.operands.begin(), c.operands.begin() + c.arity},
                              sizes,
                              c.tile.facts.after});
    }
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
      {{sinks[next], {kWhole, kWhole, kWhole}}, kinds_.get(b.tiles[sinks[next]].kind)}};
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
