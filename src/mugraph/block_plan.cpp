#include "mugraph/block_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/op_table.h"
#include "meaning/flatten.h"
namespace isomer::mugraph {
namespace {

bool is_elementwise(const MuOp& op) {
  if (op.arity != 1 || op.has_axis || op.accumulate != Accumulate::kNone) return false;
  ir::Context ctx(*op.table);
  ir::Builder b(ctx);
  const Sizes size = {2, 3, 4};
  const ir::ValueId in = b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(size)));
  const TileShape shape = infer_tile(op, std::span(&size, 1), {}, true);
  if (!shape || shape.sizes != size) return false;
  const ir::ValueId out = apply_once(b, op, std::span(&in, 1), {});
  const ir::Graph graph = meaning::flatten(b.finish({out})).graph;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::OpDef& def = graph.def(ir::ValueId(i));
    if (!def.is(ir::Core::kInput) && !def.is(ir::Core::kConstant) && !def.is(ir::Core::kBroadcast) &&
        def.kind != ir::MeaningKind::kPointwise)
      return false;
  }
  return true;
}

class Planning {
 public:
  Planning(const MuOpTable& ops, const BlockGraph& block, const BlockPlanOptions& options)
      : ops_(ops),
        b_(block),
        elementwise_(*options.elementwise),
        options_(options),
        users_(block.values()),
        chain_(block.values(), kNone) {
    for (uint32_t i = 0; i < b_.nodes.size(); ++i)
      for (uint32_t o : b_.nodes[i].operands) users_[o].push_back(inputs() + i);
  }

  BlockPlan run() {
    fuse();
    order();
    place();
    return std::move(plan_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  uint32_t inputs() const { return static_cast<uint32_t>(b_.inputs.size()); }
  const BlockNode& node(uint32_t v) const { return b_.nodes[v - inputs()]; }
  bool accumulates(uint32_t v) const { return mugraph::accumulates(ops_, node(v)); }
  bool carried(uint32_t v) const { return runs_max(ops_, node(v)); }
  bool saved(uint32_t v) const {
    return std::ranges::find(b_.outputs, v, &BlockOutput::value) != b_.outputs.end();
  }

  bool streamed(uint32_t input) const {
    return std::ranges::any_of(b_.inputs[input].fmap, [](int d) { return d != kWhole; });
  }

  bool fuses(uint32_t v) const {
    const BlockNode& n = node(v);
    if (n.thread) return false;
    const MuOp& op = ops_.get(n.op);
    const bool plain = op.accumulate == Accumulate::kAdd && n.sizes == b_.sizes(n.operands[0]);
    if (op.arity != 1 || !(plain || (op.accumulate == Accumulate::kNone && elementwise_[n.op]))) return false;
    const uint32_t producer = n.operands[0];
    return producer >= inputs() && users_[producer].size() == 1 && !saved(producer) &&
           !accumulates(producer) && !carried(producer) &&
           (!node(producer).thread || node(producer).thread->outputs.size() == 1);
  }

  /// What only the next operator of its thread graph reads.
  bool stays(uint32_t v) const {
    return std::ranges::any_of(users_[v], [&](uint32_t u) { return chain_[u] == chain_[v]; });
  }

  void fuse() {
    for (uint32_t v = inputs(); v < b_.values(); ++v) {
      if (fuses(v)) {
        chain_[v] = chain_[node(v).operands[0]];
      } else if (shares_thread(b_, v)) {
        chain_[v] = chain_[v - 1];
      } else {
        chain_[v] = plan_.threads.size();
        plan_.threads.emplace_back();
        plan_.threads.back().after_loop = node(v).after_accum && !accumulates(v);
      }
      plan_.threads[chain_[v]].values.push_back(v);
    }
  }

  /// Depths count from the inputs within the loop, and from the accumulators after it.
  void order() {
    int loop_depth = 0, depth = 0;
    for (ThreadGraph& t : plan_.threads) {
      t.step = 0;
      for (uint32_t v : t.values)
        for (uint32_t o : node(v).operands) {
          if (o < inputs()) continue;
          const ThreadGraph& from = plan_.threads[chain_[o]];
          if (&from != &t && from.after_loop == t.after_loop) t.step = std::max(t.step, from.step + 1);
        }
      int& deepest = t.after_loop ? depth : loop_depth;
      deepest = std::max(deepest, t.step + 1);
    }
    for (ThreadGraph& t : plan_.threads)
      if (t.after_loop) t.step += loop_depth;
    loop_steps_ = loop_depth;
    steps_ = loop_depth + depth;
    plan_.loop_barriers = loop_depth;
    for (uint32_t i = 0; i < inputs() && !options_.ahead; ++i)
      if (streamed(i)) plan_.loop_barriers = loop_depth + 1;
    plan_.after_barriers = depth;
  }

  void place() {
    for (uint32_t v = 0; v < b_.values(); ++v) {
      const bool load = v < inputs();
      if (!load && stays(v)) continue;  // in registers
      int64_t bytes = options_.element_bytes;
      for (int64_t s : b_.sizes(v)) bytes *= s;
      int last = 0;
      for (uint32_t u : users_[v]) last = std::max(last, plan_.threads[chain_[u]].step);
      if (saved(v)) last = steps_;
      Lifetime buffer{bytes, 0, last};
      if (load) {
        if (options_.ahead && streamed(v)) buffer.bytes *= 2;  // the next iteration's is on its way
        // The next iteration needs it too, or its own is on its way.
        if (options_.ahead || !streamed(v)) buffer.death = loop_steps_ - 1;
      } else if (accumulates(v)) {
        buffer.death = std::max(last, loop_steps_ - 1);  // from before the loop
      } else if (carried(v)) {
        buffer.bytes *= 2;  // that of the iteration before is what sums are rescaled from
        buffer.death = loop_steps_ - 1;
      } else {
        buffer.birth = plan_.threads[chain_[v]].step;
      }
      plan_.stored.push_back(v);
      plan_.buffers.push_back(buffer);
    }
    plan_.memory = plan_memory(plan_.buffers, 16, options_.memory_nodes);
    std::ranges::stable_sort(plan_.threads, {}, &ThreadGraph::step);
  }

  const MuOpTable& ops_;
  const BlockGraph& b_;
  const std::vector<bool>& elementwise_;
  BlockPlanOptions options_;
  std::vector<std::vector<uint32_t>> users_;
  std::vector<size_t> chain_;  // thread graph of each value
  BlockPlan plan_;
  int loop_steps_ = 0, steps_ = 0;
};

}  // namespace

std::vector<bool> elementwise_ops(const MuOpTable& ops) {
  std::vector<bool> out;
  for (size_t i = 0; i < ops.size(); ++i) out.push_back(is_elementwise(ops.get(static_cast<MuOpId>(i))));
  return out;
}

BlockPlan plan_block(const MuOpTable& ops, const BlockGraph& block, const BlockPlanOptions& options) {
  if (options.elementwise != nullptr) return Planning(ops, block, options).run();
  const std::vector<bool> elementwise = elementwise_ops(ops);
  BlockPlanOptions known = options;
  known.elementwise = &elementwise;
  return Planning(ops, block, known).run();
}

std::string print(const BlockPlan& plan, const MuOpTable& ops, const BlockGraph& block) {
  std::string out;
  int step = -1;
  for (const ThreadGraph& t : plan.threads) {
    if (t.step != step)
      out += fmt::format("    step {}{}\n", step = t.step, t.after_loop ? ", after the loop" : "");
    std::string names;
    for (uint32_t v : t.values) {
      const BlockNode& n = block.node(v);
      names += fmt::format(
          "{}t{} {}", names.empty() ? "" : ", ", v,
          n.thread ? fmt::format("threads {}", fmt::join(n.thread->grid, "x")) : ops.get(n.op).name);
    }
    out += fmt::format("      {}\n", names);
  }
  out += fmt::format("    barriers: {} in each iteration, {} after the loop\n", plan.loop_barriers,
                     plan.after_barriers);
  for (size_t i = 0; i < plan.stored.size(); ++i)
    out += fmt::format("    t{} at {:>6}, {} bytes, steps {} to {}\n", plan.stored[i], plan.memory.offsets[i],
                       plan.buffers[i].bytes, plan.buffers[i].birth, plan.buffers[i].death);
  return out + fmt::format("    shared memory: {} bytes, {}\n", plan.memory.bytes,
                           plan.memory.optimal()
                               ? std::string("no plan needs less")
                               : fmt::format("no plan needs less than {}", plan.memory.bound));
}

}  // namespace isomer::mugraph
