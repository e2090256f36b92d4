// Kernel level: prefixes of kernel graphs, by predefined operators and by graph-defined kernels over every
// set of tensors, every choice of axes that the grid cuts, and of the axis that the loop cuts.
#include <algorithm>
#include <bit>

#include "mugraph/generate.h"

namespace isomer::mugraph {

Rank rank_of(std::span<const uint32_t> operands, uint32_t op) {
  Rank r{};  // operators have four operands at most; values count from 1, so that fewer operands rank lower
  for (size_t i = 0; i < operands.size(); ++i) r[i] = r[5 + i] = operands[i] + 1;
  std::sort(r.begin(), r.begin() + 4, std::greater<>());
  r[4] = op + 1;
  return r;
}

Generator::Generator(const SearchOptions& options, Kinds& kinds, SubexpressionOracle& oracle,
                     const Goal& goal, const std::set<AxisId>& cuttable, const std::set<AxisId>& batch,
                     int64_t reduce_to, std::function<bool(const MuGraph&)> accept, SearchResult& result)
    : options_(options),
      ops_(standard_mu_ops()),
      kinds_(kinds),
      oracle_(oracle),
      goal_(goal),
      cuttable_(cuttable),
      batch_(batch),
      reduce_to_(reduce_to),
      accept_(std::move(accept)),
      result_(result),
      watch_(options.limits) {
  for (const std::string& name : options.kernel_ops) kernel_ops_.push_back(ops_.at(name));
  for (const std::string& name : options.block_ops) {
    block_ops_.push_back(ops_.at(name));
    most_operands_ = std::max(most_operands_, ops_.get(block_ops_.back()).arity);
  }
}

void Generator::run(const std::vector<KindId>& inputs) {
  KernelState state;
  state.graph.inputs = inputs.size();
  for (KindId k : inputs) state.graph.values.push_back(kinds_.get(k).sizes);
  state.kinds = inputs;
  state.uses.assign(inputs.size(), 0);
  kernel(state);
  if (result_.stop_reason == StopReason::kRunning) result_.stop_reason = StopReason::kSaturated;
}

bool Generator::stopped() {
  if (result_.stop_reason == StopReason::kRunning) result_.stop_reason = watch_.check(result_.states);
  return result_.stop_reason != StopReason::kRunning;
}

bool Generator::is_goal(KindId kind) {
  const Kind& k = kinds_.get(kind);
  return k.sizes == goal_.kind.sizes && k.axes == goal_.kind.axes && oracle_.equals_target(k.term);
}

bool Generator::possible(KindId kind) {
  if (!options_.prune || oracle_.may_occur(kinds_.get(kind).term)) return true;
  ++result_.pruned;
  return false;
}

void Generator::finish(const MuGraph& graph) {
  for (Recorder& r : recorders_)
    r.found.emplace_back(graph.nodes.begin() + static_cast<std::ptrdiff_t>(r.prefix), graph.nodes.end());
}

Generator::StateKey Generator::key_of(const KernelState& state) {
  StateKey key = {static_cast<uint32_t>(state.block_kernels)};
  key.insert(key.end(), state.last.begin(), state.last.end());
  for (size_t v = 0; v < state.kinds.size(); ++v) key.push_back(state.kinds[v] * 2 + (state.uses[v] == 0));
  return key;
}

void Generator::kernel(KernelState& state) {
  if (state.graph.nodes.empty() || !options_.canonical) return explore(state);
  const StateKey key = key_of(state);
  if (const auto known = completions_.find(key); known != completions_.end()) {
    for (const Completion& rest : known->second) {
      MuGraph graph = state.graph;
      for (const KernelNode& n : rest) {
        graph.nodes.push_back(n);
        graph.values.resize(graph.values.size() + n.results.size());
      }
      graph.outputs = {static_cast<uint32_t>(graph.values.size() - 1)};
      ++result_.candidates;
      if (accept_(graph)) finish(graph);
    }
    return;
  }
  recorders_.push_back({state.graph.nodes.size(), {}});
  explore(state);
  if (!stopped()) completions_.emplace(key, std::move(recorders_.back().found));
  recorders_.pop_back();
}

void Generator::explore(KernelState& state) {
  ++result_.states;
  if (stopped()) return;
  std::vector<uint32_t> required;
  for (uint32_t v = 0; v < state.uses.size(); ++v)
    if (state.uses[v] == 0) required.push_back(v);
  if (!state.graph.nodes.empty() && required.size() == 1 && required[0] >= state.graph.inputs &&
      is_goal(state.kinds[required[0]])) {
    state.graph.outputs = {required[0]};
    ++result_.candidates;
    if (accept_(state.graph)) {
      finish(state.graph);
      return;
    }
  }
  const int left = options_.max_kernel_ops - static_cast<int>(state.graph.inputs + state.graph.nodes.size());
  if (left <= 0) return;
  // An operator uses up four tensors at most and makes one or two.
  if (static_cast<int>(required.size()) > 1 + 3 * left) return;
  kernel_operators(state, required, left == 1);
  if (state.block_kernels < options_.max_block_kernels) block_kernels(state, required, left == 1);
}

void Generator::kernel_operators(KernelState& state, const std::vector<uint32_t>& required, bool last_one) {
  for (MuOpId id : kernel_ops_) {
    const MuOp& op = ops_.get(id);
    operand_lists(op, id, state.kinds.size(), state.last, [&](std::span<const uint32_t> operands) {
      if (last_one)
        for (uint32_t v : required)
          if (std::ranges::find(operands, v) == operands.end()) return;
      std::vector<KindId> kinds;
      for (uint32_t o : operands) kinds.push_back(state.kinds[o]);
      const auto kind = kinds_.apply(id, kinds, {});
      if (!kind || !possible(*kind)) return;
      if (last_one && !is_goal(*kind)) return;
      if (options_.canonical && std::ranges::find(state.kinds, *kind) != state.kinds.end()) return;
      KernelState next = state;
      const auto result = static_cast<uint32_t>(next.kinds.size());
      next.graph.nodes.push_back({id, -1, nullptr, {operands.begin(), operands.end()}, {result}});
      next.graph.values.push_back(kinds_.get(*kind).sizes);
      next.kinds.push_back(*kind);
      for (uint32_t o : operands) ++next.uses[o];
      next.uses.push_back(0);
      next.last = rank_of(operands, id);
      kernel(next);
    });
  }
}

void Generator::block_kernels(KernelState& state, const std::vector<uint32_t>& required, bool last_one) {
  const size_t count = state.kinds.size();
  for (uint32_t mask = 1; mask < (1U << count); ++mask) {
    if (std::popcount(mask) > 4) continue;
    std::vector<uint32_t> operands;
    for (uint32_t v = 0; v < count; ++v)
      if (mask >> v & 1) operands.push_back(v);
    if (last_one && std::ranges::any_of(required, [&](uint32_t v) { return (mask >> v & 1) == 0; })) continue;
    if (options_.canonical && rank_of(operands, static_cast<uint32_t>(ops_.size())) <= state.last) continue;
    std::set<AxisId> batch, axes;
    for (uint32_t o : operands) {
      const Kind& k = kinds_.get(state.kinds[o]);
      for (size_t d = 0; d < k.axes.size(); ++d) {
        if (k.sizes[d] == 1) continue;
        for (AxisId a : batch_)
          if (kinds_.axes().outer_depth(k.axes[d], a) >= 0) batch.insert(a);
        for (AxisId a : cuttable_)
          if (kinds_.axes().outer_depth(k.axes[d], a) >= 0) axes.insert(a);
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
      open_block(state, operands, grid, kAnyAxis, last_one);
      for (AxisId loop : axes) open_block(state, operands, grid, loop, last_one);
    }
  }
}

std::optional<KindId> Generator::tile_of(KindId tensor, const std::vector<AxisId>& grid, AxisId loop,
                                         BlockInput& input) {
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
  for (size_t g = 0; g < grid.size(); ++g) input.imap[g] = cut(grid[g], static_cast<int>(g), kModelGrid);
  input.fmap = {cut(loop, kLoopCut, kModelLoop)};
  for (int d : input.imap)
    if (d == -2) return std::nullopt;
  if (input.fmap[0] == -2) return std::nullopt;
  input.tile = tile.sizes;
  return kinds_.add(tile);
}

void Generator::open_block(KernelState& state, const std::vector<uint32_t>& operands,
                           const std::vector<AxisId>& grid, AxisId loop, bool last_one) {
  if (stopped()) return;
  BlockState b;
  b.operands = operands;
  b.grid = grid;
  for (size_t g = 0; g < grid.size(); ++g) b.graph.grid[g] = kModelGrid;
  b.graph.loops = {loop == kAnyAxis ? 1 : kModelLoop};
  b.graph.reduce_to = reduce_to_;
  for (uint32_t o : operands) {
    BlockInput input;
    const auto kind = tile_of(state.kinds[o], grid, loop, input);
    if (!kind) return;
    b.graph.inputs.push_back(std::move(input));
    b.kinds.push_back(*kind);
    b.facts.push_back({false, b.graph.inputs.back().fmap[0] != kWhole, false});
    b.uses.push_back(0);
  }
  block(state, b, last_one);
}

void Generator::emit_kernel(KernelState& state, const BlockState& b, const std::vector<BlockOutput>& outputs,
                            const std::vector<KindId>& kinds) {
  KernelState next = state;
  KernelNode node;
  auto graph = std::make_shared<BlockGraph>(b.graph);
  graph->outputs = outputs;
  node.block = std::move(graph);
  node.operands = b.operands;
  for (KindId k : kinds) {
    node.results.push_back(static_cast<uint32_t>(next.kinds.size()));
    next.graph.values.push_back(kinds_.get(k).sizes);
    next.kinds.push_back(k);
    next.uses.push_back(0);
  }
  for (uint32_t o : b.operands) ++next.uses[o];
  next.last = rank_of(b.operands, static_cast<uint32_t>(ops_.size()));
  ++next.block_kernels;
  next.graph.nodes.push_back(std::move(node));
  kernel(next);
}

}  // namespace isomer::mugraph
