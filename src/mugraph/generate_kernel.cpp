// Kernel level: one more predefined operator, or one more graph-defined kernel over every set of tensors,
// every choice of axes that the grid cuts, and of the axis that the loop cuts.
#include <algorithm>
#include <cassert>
#include <functional>

#include "mugraph/generate.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::mugraph {

Rank rank_of(std::span<const uint32_t> operands, uint32_t op) {
  // Operators have four operands at most; values count from 1, so that fewer operands rank lower.
  constexpr int kBits = 6;
  static_assert(kMostValues + 1 < 1 << kBits);
  std::array<uint32_t, 4> newest{};
  Rank order = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    assert(operands[i] + 1 < 1U << kBits);
    newest[i] = operands[i] + 1;
    order |= Rank{newest[i]} << (kBits * (3 - i));
  }
  std::ranges::sort(newest, std::greater<>());
  Rank r = 0;
  for (uint32_t v : newest) r = r << kBits | v;
  return (r << 8 | (op + 1)) << (4 * kBits) | order;
}

namespace {

/// Of values 0 .. below - 1, at most `most` and at least one: ascending as the numbers whose bits they are.
void add_sets(uint32_t below, size_t most, std::vector<uint32_t>& newest,
              std::vector<std::vector<uint32_t>>& out) {
  for (uint32_t v = 0; v < below; ++v) {
    newest.push_back(v);
    out.emplace_back(newest.rbegin(), newest.rend());
    if (most > 1) add_sets(v, most - 1, newest, out);
    newest.pop_back();
  }
}

/// What a graph-defined kernel may read: four tensors at most.
std::vector<std::vector<uint32_t>> operand_sets(uint32_t values) {
  std::vector<std::vector<uint32_t>> out;
  std::vector<uint32_t> newest;
  add_sets(values, 4, newest, out);
  return out;
}

}  // namespace

Generator::Generator(const SearchOptions& options, Ground& ground, const LimitWatch& watch, SearchStop& stop)
    : options_(options),
      ops_(*options.ops),
      ground_(ground),
      kinds_(ground.kinds),
      oracle_(*ground.oracle),
      applications_(options, ops_, kinds_, oracle_),
      watch_(watch),
      stop_(stop) {
  for (const std::string& name : options.kernel_ops) kernel_ops_.push_back(ops_.at(name));
  std::vector<MuOpId> block_ops;
  for (const std::string& name : options.block_ops) {
    const MuOpId id = ops_.at(name);
    block_ops.push_back(id);
    most_operands_ = std::max(most_operands_, ops_.get(id).arity);
    if (ops_.get(id).arity == 4) wide_ops_.push_back(id);
  }
  if (options.prune && options.look_ahead) completion_.emplace(oracle_, ops_, block_ops, kernel_ops_);
}

size_t Generator::parts(const std::vector<Step>& path) { return 1 + openings(replay(path)).size(); }

Expansion Generator::expand(const std::vector<Step>& path, std::optional<size_t> part) {
  out_ = {};
  reported_ = 0;
  const KernelState state = replay(path);
  if (part.value_or(0) == 0) {
    ++out_.states;
    kernel_operators(state);
  }
  const std::vector<Opening> all = openings(state);
  for (size_t i = 0; i < all.size(); ++i)
    if (!part || *part == i + 1) open_block(state, all[i]);
  stop_.states += out_.states - reported_;
  return std::move(out_);
}

bool Generator::stopped() {
  if (stop_.reason.load(std::memory_order_relaxed) != StopReason::kRunning) return true;
  if (out_.states - reported_ >= 64) {
    stop_.states += out_.states - reported_;
    reported_ = out_.states;
  }
  const StopReason reason = watch_.check(stop_.states.load(std::memory_order_relaxed));
  if (reason != StopReason::kRunning) stop_.reason = reason;
  return reason != StopReason::kRunning;
}

bool Generator::is_goal(KindId kind) {
  const Kind& k = kinds_.get(kind);
  return k.sizes == ground_.goal.sizes && k.axes == ground_.goal.axes && oracle_.equals_target(k.term);
}

bool Generator::possible(KindId kind) {
  if (!options_.prune) return true;
  ++out_.queries;
  if (oracle_.may_occur(kinds_.get(kind).term)) return true;
  ++out_.pruned;
  return false;
}

Generator::KernelState Generator::replay(const std::vector<Step>& path) {
  KernelState state;
  state.kinds = ground_.inputs;
  state.uses.assign(state.kinds.size(), 0);
  for (const Step& step : path) add_step(state, step, results_of(state, step));
  return state;
}

void Generator::add_step(KernelState& state, const Step& step, const std::vector<KindId>& results) const {
  const int shape = step.node.block ? -1 : ops_.get(step.node.op).shape_operand;
  for (size_t o = 0; o < step.node.operands.size(); ++o)
    if (static_cast<int>(o) != shape) ++state.uses[step.node.operands[o]];
  for (KindId k : results) {
    state.kinds.push_back(k);
    state.uses.push_back(0);
  }
  state.last =
      rank_of(step.node.operands, step.node.block ? static_cast<uint32_t>(ops_.size()) : step.node.op);
  ++state.kernels;
  state.block_kernels += step.node.block != nullptr;
}

/// The kinds of what a step makes, computed anew in the tables of this thread.
std::vector<KindId> Generator::results_of(const KernelState& state, const Step& step) {
  std::vector<KindId> operands;
  for (uint32_t o : step.node.operands) operands.push_back(state.kinds.at(o));
  const auto known = [](std::optional<KindId> kind) {
    REQUIRE(kind.has_value(), "a step of another search");
    return *kind;
  };
  if (!step.node.block) return {known(kinds_.apply(step.node.op, operands, {}))};
  const BlockGraph& b = *step.node.block;
  const Opening opening{step.node.operands, step.grid, step.loops};
  const KindPlace place{true, -1, b.range(), b.reduce_to};
  std::vector<KindId> tiles;
  for (KindId k : operands) {
    BlockInput input;
    tiles.push_back(known(tile_of(k, opening, input)));
  }
  for (const BlockNode& n : b.nodes) {
    std::vector<KindId> in;
    for (uint32_t o : n.operands) in.push_back(tiles.at(o));
    tiles.push_back(known(kinds_.apply(n.op, in, place)));
  }
  std::vector<KindId> out;
  for (const BlockOutput& o : b.outputs) {
    Kind kind = kinds_.get(tiles.at(o.value));
    for (size_t g = step.grid.size(); g-- > 0;) join(kind, opening, g, static_cast<size_t>(o.omap[g]));
    out.push_back(kinds_.add(kind));
  }
  return out;
}

std::vector<uint32_t> Generator::unused(const KernelState& state) const {
  std::vector<uint32_t> out;
  for (uint32_t v = 0; v < state.uses.size(); ++v)
    if (state.uses[v] == 0) out.push_back(v);
  return out;
}

int Generator::kernels_left(const KernelState& state) const {
  return options_.max_kernel_ops - static_cast<int>(ground_.inputs.size()) - state.kernels;
}

void Generator::emit(const KernelState& state, Step step, const std::vector<KindId>& results) {
  KernelState next = state;
  add_step(next, step, results);
  const std::vector<uint32_t> open = unused(next);
  Child child;
  child.complete = open.size() == 1 && open[0] >= ground_.inputs.size() && is_goal(next.kinds[open[0]]);
  const int left = kernels_left(next);
  // An operator uses up four tensors at most and makes one or two.
  if (!child.complete && (left <= 0 || static_cast<int>(open.size()) > 1 + 3 * left)) return;
  child.key = hash_combine(static_cast<uint64_t>(next.block_kernels), static_cast<uint64_t>(next.kernels));
  child.key = hash_combine(child.key, next.last);
  for (size_t v = 0; v < next.kinds.size(); ++v)
    child.key = hash_combine(hash_combine(child.key, kinds_.hash(next.kinds[v])), next.uses[v] == 0);
  child.step = std::move(step);
  out_.children.push_back(std::move(child));
}

void Generator::kernel_operators(const KernelState& state) {
  const std::vector<uint32_t> required = unused(state);
  for (MuOpId id : kernel_ops_) {
    const MuOp& op = ops_.get(id);
    operand_lists(op, id, state.kinds.size(), state.last, [&](std::span<const uint32_t> operands) {
      if (last_one(state))
        for (uint32_t v : required)
          if (std::ranges::find(operands, v) == operands.end()) return;
      std::vector<KindId> kinds;
      for (uint32_t o : operands) kinds.push_back(state.kinds[o]);
      if (!applications_.allowed(id, kinds)) return;
      const auto kind = kinds_.apply(id, kinds, {});
      if (!kind || !possible(*kind)) return;
      if (last_one(state) && !is_goal(*kind)) return;
      if (options_.canonical && std::ranges::find(state.kinds, *kind) != state.kinds.end()) return;
      Step step;
      step.node = {
          id, -1, nullptr, {operands.begin(), operands.end()}, {static_cast<uint32_t>(state.kinds.size())}};
      emit(state, std::move(step), {*kind});
    });
  }
}

bool Generator::can_end_with(const KernelState& state, std::span<const uint32_t> operands) {
  if (!completion_) return true;
  std::vector<int64_t> parts;
  for (uint32_t o : operands) {
    parts.push_back(oracle_.class_of(kinds_.get(state.kinds[o]).term));
    if (parts.back() < 0) return false;  // an input that the program does not need
  }
  return completion_->made_of(std::move(parts));
}

std::vector<Generator::Opening> Generator::openings(const KernelState& state) {
  std::vector<Opening> out;
  if (state.block_kernels >= options_.max_block_kernels) return out;
  const std::vector<uint32_t> required = unused(state);
  for (const std::vector<uint32_t>& operands : operand_sets(static_cast<uint32_t>(state.kinds.size()))) {
    if (stopped()) return out;
    if (last_one(state) && !std::ranges::includes(operands, required)) continue;
    if (options_.canonical && rank_of(operands, static_cast<uint32_t>(ops_.size())) <= state.last) continue;
    if (last_one(state) && !can_end_with(state, operands)) continue;
    std::set<AxisId> batch, axes;
    for (uint32_t o : operands) {
      const Kind& k = kinds_.get(state.kinds[o]);
      for (size_t d = 0; d < k.axes.size(); ++d) {
        if (k.sizes[d] == 1) continue;
        for (AxisId a : ground_.batch)
          if (ground_.axes.outer_depth(k.axes[d], a) >= 0) batch.insert(a);
        for (AxisId a : ground_.cuttable)
          if (ground_.axes.outer_depth(k.axes[d], a) >= 0) axes.insert(a);
      }
    }
    // Batch dimensions are always cut, since a block has no batched product; then none, one or two others.
    const std::vector<AxisId> base(batch.begin(), batch.end());
    std::vector<std::vector<AxisId>> grids = {base};
    if (base.size() + 1 <= 3)
      for (AxisId a : axes) {
        grids.push_back(base);
        grids.back().push_back(a);
      }
    if (base.size() + 2 <= 3)
      for (AxisId a : axes)
        for (AxisId b : axes)
          if (a < b) {
            grids.push_back(base);
            grids.back().insert(grids.back().end(), {a, b});
          }
    for (const auto& grid : grids) {
      // Blocks that share an element of the last kernel's result would have partial results.
      if (completion_ && last_one(state) && std::ranges::any_of(grid, [&](AxisId a) {
            return std::ranges::none_of(ground_.goal.axes,
                                        [&](AxisId whole) { return ground_.axes.holds(whole, a); });
          }))
        continue;
      out.push_back({operands, grid, {}});
      for (AxisId loop : axes) out.push_back({operands, grid, {loop}});
      if (options_.loop_dims < 2) continue;
      for (AxisId a : axes)
        for (AxisId b : axes)
          if (a < b) out.push_back({operands, grid, {a, b}});
    }
  }
  return out;
}

std::optional<KindId> Generator::tile_of(KindId tensor, const Opening& opening, BlockInput& input) {
  Kind tile = kinds_.get(tensor);
  const AxisList whole = tile.axes;
  const auto cut = [&](AxisId axis, int by, int64_t parts) -> int {
    if (axis == kAnyAxis) return kWhole;
    Axes& axes = kinds_.axes();
    for (size_t d = 0; d < whole.size(); ++d) {
      const int depth = axes.outer_depth(whole[d], axis);
      if (depth < 0) continue;
      if (tile.sizes[d] % parts != 0) return -2;
      tile.sizes[d] /= parts;
      tile.axes[d] = axes.cut_outer(tile.axes[d], depth, by);
      return static_cast<int>(d);
    }
    return kWhole;
  };
  for (size_t g = 0; g < opening.grid.size(); ++g)
    input.imap[g] = cut(opening.grid[g], static_cast<int>(g), kModelGrid);
  input.fmap.assign(std::max<size_t>(1, opening.loops.size()), kWhole);
  for (size_t l = 0; l < opening.loops.size(); ++l)
    input.fmap[l] = cut(opening.loops[l], kLoopCut + static_cast<int>(l), kModelLoop);
  constexpr int kUneven = -2;
  if (std::ranges::find(input.imap, kUneven) != input.imap.end() ||
      std::ranges::find(input.fmap, kUneven) != input.fmap.end())
    return std::nullopt;
  input.tile = tile.sizes;
  return kinds_.add(tile);
}

void Generator::open_block(const KernelState& state, const Opening& opening) {
  if (stopped()) return;
  BlockState b;
  b.opening = opening;
  b.place = {true, -1, 1, kModelGrid * kModelLoop * kModelTile};  // what every dimension has
  for (size_t l = 0; l < opening.loops.size(); ++l) b.place.range *= kModelLoop;
  // Whether kernels after this one may be graphs of blocks again, which make anything.
  const int after = kernels_left(state) - 1;
  if (completion_ && (after == 0 || state.block_kernels + 1 >= options_.max_block_kernels))
    b.needed = completion_->ops_needed(after);
  for (uint32_t o : opening.operands) {
    BlockInput input;
    const auto kind = tile_of(state.kinds[o], opening, input);
    if (!kind) return;
    if (completion_ && !oracle_.may_occur(kinds_.get(*kind).term)) return;
    b.inputs.push_back(std::move(input));
    if (!b.tiles.empty()) add_candidates(state, b);
    Facts facts;
    for (size_t l = 0; l < opening.loops.size(); ++l)
      if (b.inputs.back().fmap[l] != kWhole) facts.looped = static_cast<uint8_t>(facts.looped | 1U << l);
    b.tiles.push_back({*kind, applications_.value_of(*kind), applications_.part_of(*kind), facts, 0});
  }
  if (enough_left(state, b)) block(state, b, 0);
}

}  // namespace isomer::mugraph
