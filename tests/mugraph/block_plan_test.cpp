#include "mugraph/block_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mugraph/interpret.h"
#include "mugraph/lower.h"
#include "mugraph/random_tensors.h"
#include "mugraph/shrink.h"
#include "published/mirage_figures.h"

namespace isomer::mugraph {
namespace {

const BlockGraph& first_block(std::string_view name) {
  return *published::mirage::figure(name).graph.nodes[0].block;
}

TEST(BlockPlan, FusesWhatStaysInRegisters) {
  const MuOpTable& ops = standard_mu_ops();
  // t0 q, t1 k, t2 v; matmul t3, exp t4 with it; t4 has two users, its sum and the product with v.
  const BlockPlan plan = plan_block(ops, first_block("FlashAttention"));
  std::vector<std::vector<uint32_t>> threads;
  for (const ThreadGraph& t : plan.threads) threads.push_back(t.values);
  EXPECT_EQ(threads, (std::vector<std::vector<uint32_t>>{{3, 4}, {5}, {6, 7}, {8}}));
  EXPECT_EQ(plan.loop_barriers, 2);
  EXPECT_EQ(plan.after_barriers, 1);
  EXPECT_TRUE(plan.memory.optimal());
  const std::vector<bool> elementwise = elementwise_ops(ops);
  for (const char* name : {"exp", "silu", "relu", "square", "sqrt"})
    EXPECT_TRUE(elementwise[ops.at(name)]) << name;
  for (const char* name : {"rms_norm", "reshape", "sum", "matmul", "add", "accumulate"})
    EXPECT_FALSE(elementwise[ops.at(name)]) << name;
}

/// Runs a block as planned: every stored tile lies at its offset in one memory, and is read when it is
/// needed.
class PlannedRun {
 public:
  PlannedRun(const MuOpTable& ops, const BlockGraph& b, bool ahead)
      : ops_(ops),
        b_(b),
        plan_(plan_block(ops, b, {.element_bytes = sizeof(double), .ahead = ahead})),
        ahead_(ahead),
        memory_(static_cast<size_t>(plan_.memory.bytes) / 8, 1e300) {}

  void run(const std::vector<FloatTensor>& operands, std::vector<FloatTensor>& results) {
    const auto& g = b_.grid;
    for (int64_t x = 0; x < g[0]; ++x)
      for (int64_t y = 0; y < g[1]; ++y)
        for (int64_t z = 0; z < g[2]; ++z) run_block({x, y, z}, operands, results);
  }

 private:
  size_t offset(uint32_t v) const {
    const auto at = std::ranges::find(plan_.stored, v);
    EXPECT_NE(at, plan_.stored.end()) << "t" << v << " has no place";
    return static_cast<size_t>(plan_.memory.offsets[static_cast<size_t>(at - plan_.stored.begin())]) / 8;
  }
  static int64_t count(const Sizes& s) {
    return std::accumulate(s.begin(), s.end(), int64_t{1}, std::multiplies<>());
  }

  bool two_halves(uint32_t v) const {
    if (v < b_.inputs.size()) return b_.inputs[v].fmap[0] != kWhole && ahead_;
    return ops_.get(b_.nodes[v - b_.inputs.size()].op).running_max;
  }

  FloatTensor read(uint32_t v, int64_t iteration) const {
    FloatTensor t{ir::DType::kF32, b_.sizes(v), {}, {}};
    size_t at = offset(v);
    if (two_halves(v)) at += static_cast<size_t>(iteration % 2 * count(t.sizes));
    t.numbers.assign(memory_.begin() + static_cast<std::ptrdiff_t>(at),
                     memory_.begin() + static_cast<std::ptrdiff_t>(at) + count(t.sizes));
    return t;
  }
  void write(size_t at, const FloatTensor& t) {
    std::ranges::copy(t.numbers, memory_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  /// Calls f(linear in whole, linear in part).
  template <class F>
  static void each(const Sizes& whole, const Sizes& part, const std::vector<int64_t>& start, F&& f) {
    for (int64_t n = 0; n < count(part); ++n) {
      int64_t rest = n, at = 0, scale = 1;
      for (size_t d = part.size(); d-- > 0;) {
        at += (start[d] + rest % part[d]) * scale;
        rest /= part[d];
        scale *= whole[d];
      }
      f(static_cast<size_t>(at), static_cast<size_t>(n));
    }
  }

  void load(uint32_t i, const FloatTensor& whole, const std::array<int64_t, 3>& at, int64_t iteration) {
    const BlockInput& in = b_.inputs[i];
    std::vector<int64_t> start(whole.sizes.size());
    for (size_t k = 0; k < start.size(); ++k) {
      int64_t part = whole.sizes[k];
      for (size_t d = 0; d < 3; ++d)
        if (in.imap[d] == static_cast<int>(k)) start[k] += at[d] * (part /= b_.grid[d]);
      if (in.fmap[0] == static_cast<int>(k)) start[k] += iteration * (part / b_.loops[0]);
    }
    FloatTensor tile{ir::DType::kF32, in.tile, {}, {}};
    tile.numbers.resize(static_cast<size_t>(count(in.tile)));
    each(whole.sizes, in.tile, start, [&](size_t w, size_t p) { tile.numbers[p] = whole.numbers[w]; });
    write(offset(i) +
              (in.fmap[0] == kWhole || !ahead_ ? 0 : static_cast<size_t>(iteration % 2 * count(in.tile))),
          tile);
  }

  FloatTensor apply(uint32_t v, const std::vector<FloatTensor>& in) const {
    const BlockNode& n = b_.nodes[v - b_.inputs.size()];
    ir::Context ctx(ir::standard_ops());
    if (n.thread) {  // a kernel whose blocks are the threads
      MuGraph threads;
      for (const FloatTensor& t : in) threads.values.push_back(t.sizes);
      threads.inputs = in.size();
      threads.values.resize(in.size() + n.thread->outputs.size());
      threads.nodes.push_back({0, -1, n.thread, {}, {}});
      for (uint32_t i = 0; i < threads.values.size(); ++i)
        (i < in.size() ? threads.nodes[0].operands : threads.nodes[0].results).push_back(i);
      threads.outputs = threads.nodes[0].results;
      EXPECT_EQ(infer_sizes(threads), "");
      return run_graph(lower(ctx, threads), in)[n.output];
    }
    ir::Builder b(ctx);
    std::vector<ir::ValueId> values;
    for (const FloatTensor& t : in)
      values.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(t.sizes))));
    const ir::ValueId out = apply_once(b, ops_.get(n.op), values, b_.place(n.axis));
    return run_graph(b.finish({out}), in)[0];
  }

  void run_thread(const ThreadGraph& t, int64_t iteration) {
    std::vector<FloatTensor> registers;
    for (uint32_t v : t.values) {
      const BlockNode& n = b_.nodes[v - b_.inputs.size()];
      std::vector<FloatTensor> in;
      for (uint32_t o : n.operands)
        in.push_back(!registers.empty() && o == v_ ? registers.back() : read(o, iteration));
      FloatTensor value = apply(v, in);
      const MuOp& op = ops_.get(n.op);
      if ((op.accumulate != Accumulate::kNone || op.running_max) && iteration > 0) {
        FloatTensor before = read(v, iteration + 1);  // of two halves the other one
        const size_t rows = n.operands.size() < 2 ? 1 : in[1].numbers.size();
        const FloatTensor m = n.operands.size() < 2 ? before : read(n.operands[1], iteration + 1);
        const bool largest = op.running_max || op.accumulate == Accumulate::kMax;
        for (size_t i = 0; i < value.numbers.size(); ++i) {
          const size_t row = i / (value.numbers.size() / rows);
          if (op.accumulate == Accumulate::kRescale)
            before.numbers[i] *= std::exp(m.numbers[row] - in[1].numbers[row]);
          value.numbers[i] =
              largest ? std::max(value.numbers[i], before.numbers[i]) : value.numbers[i] + before.numbers[i];
        }
      }
      if (std::ranges::count(plan_.stored, v) > 0)
        write(offset(v) + (two_halves(v) ? static_cast<size_t>(iteration % 2 * count(b_.sizes(v))) : 0),
              value);
      registers.push_back(std::move(value));
      v_ = v;
    }
  }

  void finish_accumulators() {
    for (uint32_t v = static_cast<uint32_t>(b_.inputs.size()); v < b_.values(); ++v) {
      const BlockNode& n = b_.nodes[v - b_.inputs.size()];
      if (n.thread) continue;
      const MuOp& op = ops_.get(n.op);
      if (!op.def().finish) continue;
      ir::Context ctx(ir::standard_ops());
      ir::Builder b(ctx);
      const FloatTensor in = read(v, 0);
      const ir::ValueId value = b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(in.sizes)));
      std::vector<Sizes> operands;
      for (uint32_t o : n.operands) operands.push_back(b_.sizes(o));
      const ir::ValueId out = finish_accumulated(b, op, value, operands, b_.place(n.axis));
      write(offset(v), run_graph(b.finish({out}), {in})[0]);
    }
  }

  void run_block(const std::array<int64_t, 3>& at, const std::vector<FloatTensor>& operands,
                 std::vector<FloatTensor>& results) {
    for (uint32_t i = 0; i < b_.inputs.size(); ++i) load(i, operands[i], at, 0);
    for (int64_t it = 0; it < b_.loops[0]; ++it) {
      for (uint32_t i = 0; i < b_.inputs.size(); ++i)
        if (const int64_t next = it + ahead_; b_.inputs[i].fmap[0] != kWhole && next < b_.loops[0])
          load(i, operands[i], at, next);
      for (const ThreadGraph& t : plan_.threads)
        if (!t.after_loop) run_thread(t, it);
    }
    finish_accumulators();
    for (const ThreadGraph& t : plan_.threads)
      if (t.after_loop) run_thread(t, 0);
    for (size_t o = 0; o < results.size(); ++o) {
      const BlockOutput& out = b_.outputs[o];
      const FloatTensor tile = read(out.value, 0);
      std::vector<int64_t> start(tile.sizes.size());
      for (size_t k = 0; k < start.size(); ++k) {
        int64_t block = 0;
        for (size_t d = 0; d < 3; ++d)
          if (out.omap[d] == static_cast<int>(k)) block = block * b_.grid[d] + at[d];
        start[k] = block * tile.sizes[k];
      }
      each(results[o].sizes, tile.sizes, start,
           [&](size_t w, size_t p) { results[o].numbers[w] = tile.numbers[p]; });
    }
  }

  const MuOpTable& ops_;
  const BlockGraph& b_;
  BlockPlan plan_;
  bool ahead_;
  std::vector<double> memory_;
  uint32_t v_ = 0;  // what is in registers
};

TEST(BlockPlan, RunsTilesFromTheirPlacesInOneMemory) {
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    SCOPED_TRACE(p.name);
    const Program& source = program(p.program);
    auto small = shrink(p.graph, source, p.extents, {2, 3, {}});
    // Where two kernels cut the same data differently, one has four blocks.
    for (size_t d = 0; d < 6 && !small; ++d)
      small = shrink(p.graph, source, p.extents, {2, 2, std::pair(d / 3, d % 3)});
    ASSERT_TRUE(small);
    const MuGraph& graph = small->graph;
    Rng rng(11);
    const auto inputs = random_tensors(source.input_sizes(small->extents), rng);
    eval::Float64 domain;
    const auto expected = interpret(domain, graph, std::span<const FloatTensor>(inputs));
    for (bool ahead : {true, false}) {
      std::vector<FloatTensor> values = inputs;
      for (const KernelNode& n : graph.nodes) {
        std::vector<FloatTensor> operands, results;
        for (uint32_t o : n.operands) operands.push_back(values[o]);
        for (uint32_t r : n.results) {
          results.push_back({ir::DType::kF32, graph.values[r], {}, {}});
          results.back().numbers.resize(static_cast<size_t>(results.back().count()));
        }
        PlannedRun(*graph.ops, *n.block, ahead).run(operands, results);
        for (FloatTensor& t : results) values.push_back(std::move(t));
      }
      EXPECT_LT(difference(values[graph.outputs[0]], expected[0]), 1e-12) << print(graph);
    }
  }
}

}  // namespace
}  // namespace isomer::mugraph
