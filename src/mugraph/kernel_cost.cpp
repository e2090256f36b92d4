#include "mugraph/kernel_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ir/op_table.h"
#include "mugraph/block_plan.h"
#include "support/errors.h"
#include "support/units.h"

namespace isomer::mugraph {
namespace {

constexpr uint64_t kPricedNodes = 2000;  // of a memory plan: thousands are made

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Bytes that one block writes to and reads from shared memory. A thread graph reads each stored operand
/// once and writes its last value; accumulators are also read.
double shared_traffic(const MuOpTable& ops, const BlockGraph& b, const BlockPlan& plan, int element_bytes) {
  auto elements = static_cast<double>(elements_loaded(b));
  const auto inputs = static_cast<uint32_t>(b.inputs.size());
  for (const ThreadGraph& t : plan.threads) {
    double each = 0;
    for (uint32_t v : t.values) {
      const BlockNode& n = b.nodes[v - inputs];
      const bool stored = std::ranges::find(plan.stored, v) != plan.stored.end();
      const bool sums = accumulates(ops, n) || runs_max(ops, n);
      if (stored) each += (sums ? 2 : 1) * static_cast<double>(element_count(b.sizes(v)));
      if (shares_thread(b, v)) continue;  // its operands are read
      for (uint32_t o : n.operands)
        if (std::ranges::find(t.values, o) == t.values.end())
          each += static_cast<double>(element_count(b.sizes(o)));
    }
    elements += each * static_cast<double>(t.after_loop ? 1 : b.range());
  }
  for (const BlockOutput& o : b.outputs) elements += static_cast<double>(element_count(b.sizes(o.value)));
  return elements * element_bytes;
}

}  // namespace

int64_t elements_loaded(const BlockGraph& b) {
  int64_t out = 0;
  for (const BlockInput& input : b.inputs) {
    // A tile stays until a loop that cuts it goes on, the first loop being the outermost.
    int64_t tiles = 1, around = 1;
    for (size_t l = 0; l < b.loops.size(); ++l) {
      around *= b.loops[l];
      if (input.fmap[l] != kWhole) tiles = around;
    }
    out += tiles * element_count(input.tile);
  }
  return out;
}

Pricing::Pricing(const Target& target, const MuOpTable& ops)
    : ops_(ops),
      machine_(target.machine),
      bytes_(target.memory.element_bytes),
      elementwise_(elementwise_ops(ops)) {}

double MuCost::bytes() const {
  double sum = 0;
  for (const KernelCost& k : kernels) sum += k.l2_bytes;
  return sum;
}

cost::Work Pricing::work(const MuOp& op, const std::vector<Sizes>& operands, const Place& place) {
  std::vector<int64_t> key = {place.axis, op.has_width ? place.reduce_to : 0};
  for (const Sizes& s : operands) {
    key.push_back(static_cast<int64_t>(s.size()));
    key.insert(key.end(), s.begin(), s.end());
  }
  const auto [at, is_new] = work_.try_emplace({op.name, std::move(key)});
  if (!is_new) return at->second;
  ir::Context ctx(ops_.declarations());
  ir::Builder b(ctx);
  std::vector<ir::ValueId> values;
  for (const Sizes& s : operands)
    values.push_back(b.input("", ctx.tensor_type(ir::DType::kF16, ir::static_shape(s))));
  const ir::ValueId out = apply_once(b, op, values, place);
  return at->second = cost::work_of(b.finish({out}));
}

double Pricing::arithmetic_seconds(const MuOp& op, std::vector<Sizes> operands, const Place& place,
                                   const cost::Work& work) {
  const double others = (work.flops - 2 * work.macs) / machine_.flops_per_second;
  if (work.macs == 0) return others;
  for (Sizes& s : operands)
    for (size_t i = s.size() - std::min<size_t>(s.size(), 2); i < s.size(); ++i)
      s[i] = ceil_div(s[i], machine_.fragment) * machine_.fragment;
  const double macs = this->work(op, operands, place).macs;
  return others +
         2 * std::min(macs / machine_.matmul_flops_per_second, work.macs / machine_.flops_per_second);
}

double Pricing::add_arithmetic(const BlockGraph& b, double parts, KernelCost& out) {
  double seconds = 0;
  for (size_t i = 0; i < b.nodes.size(); ++i) {
    const BlockNode& n = b.nodes[i];
    const bool in_loop = !n.after_accum || accumulates(ops_, n);
    const double times = parts * static_cast<double>(in_loop ? b.range() : 1);
    if (n.thread) {
      if (!shares_thread(b, static_cast<uint32_t>(b.inputs.size() + i)))
        seconds += add_arithmetic(*n.thread, times * static_cast<double>(parts_of(n.thread->grid)), out);
      continue;
    }
    std::vector<Sizes> operands;
    for (uint32_t o : n.operands) operands.push_back(b.sizes(o));
    const MuOp& op = ops_.get(n.op);
    cost::Work w = work(op, operands, b.place(n.axis));
    const bool adds = op.accumulate != Accumulate::kNone && op.accumulate != Accumulate::kConcat;
    const auto product = [&](uint32_t o) {
      const BlockNode* from = o < b.inputs.size() ? nullptr : &b.node(o);
      if (from == nullptr || from->thread) return false;
      std::vector<Sizes> factors;
      for (uint32_t f : from->operands) factors.push_back(b.sizes(f));
      return work(ops_.get(from->op), factors, b.place(from->axis)).macs > 0;
    };
    const bool free = machine_.products_add && op.accumulate == Accumulate::kAdd && n.sizes == operands[0] &&
                      product(n.operands[0]);
    if ((adds || op.running_max) && !free) w.flops += static_cast<double>(element_count(n.sizes));
    if (op.accumulate ==
        Accumulate::kRescale)  // a product for each element, a difference and exp for each row
      w.flops += static_cast<double>(element_count(n.sizes) + 9 * element_count(operands[1]));
    out.flops += times * w.flops;
    seconds += times * arithmetic_seconds(op, operands, b.place(n.axis), w);
  }
  return seconds;
}

KernelCost Pricing::price(const BlockGraph& b, double device, bool ahead) {
  const Machine& p = machine_;
  const BlockPlan plan = plan_block(ops_, b, {bytes_, ahead, kPricedNodes, &elementwise_});
  KernelCost out;
  out.ahead = ahead;
  out.device_bytes = device;
  out.blocks = parts_of(b.grid);
  out.shared_memory = plan.memory.bytes;
  out.barriers = b.range() * plan.loop_barriers + plan.after_barriers;
  const int64_t threads = std::max<int64_t>(1, parts_of(b.threads));
  out.resident = static_cast<int>(std::min(
      {p.shared_bytes / (plan.memory.bytes + p.reserved_bytes), p.threads / threads, int64_t{p.blocks}}));
  if (plan.memory.bytes > p.block_shared_bytes) out.resident = 0;
  if (out.resident == 0) return out;
  const auto blocks = static_cast<double>(out.blocks);
  double moved = static_cast<double>(elements_loaded(b));
  for (const BlockOutput& o : b.outputs) moved += static_cast<double>(element_count(b.sizes(o.value)));
  moved *= bytes_;
  out.l2_bytes = blocks * moved;
  out.shared_bytes = blocks * shared_traffic(ops_, b, plan, bytes_);
  const double arithmetic = add_arithmetic(b, blocks, out);
  out.waves = ceil_div(out.blocks, int64_t{p.multiprocessors} * out.resident);
  // The multiprocessor with the most blocks is the last to end.
  const auto most = static_cast<double>(ceil_div(out.blocks, p.multiprocessors));
  const double imbalance = most * p.multiprocessors / blocks;
  const double memory = std::max({device / p.device_bytes_per_second, out.l2_bytes / p.l2_bytes_per_second,
                                  most * moved / p.l2_bytes_per_second_each}),
               shared = out.shared_bytes / p.shared_bytes_per_second * imbalance,
               slowest = std::max({memory, shared, arithmetic * imbalance});
  // A multiprocessor that has several tiles on their way does all of it at once, but for the first and last.
  const auto range = static_cast<double>(b.range()), waves = static_cast<double>(out.waves);
  const bool overlaps = out.resident > 1 || (ahead && b.range() > 1);
  const double rest = memory + shared + arithmetic * imbalance - slowest;
  const double busy = slowest + rest / (overlaps ? most * range : 1);
  // All iterations but the first wait for a load that the one before has begun, or that they begin.
  const double waiting = waves * (range - 1) * p.load_seconds;
  out.seconds = (ahead ? std::max(busy, waiting) : busy + waiting) +
                waves * (p.load_seconds + static_cast<double>(out.barriers) * p.barrier_seconds);
  return out;
}

MuCost Pricing::price(const MuGraph& graph) {
  REQUIRE(graph.ops == &ops_, "a muGraph of the operators that are priced");
  MuCost out;
  for (const KernelNode& n : graph.nodes) {
    double elements = 0;
    for (uint32_t r : n.results) elements += static_cast<double>(element_count(graph.values[r]));
    for (uint32_t o : n.operands) elements += static_cast<double>(element_count(graph.values[o]));
    const double device = elements * bytes_;
    KernelCost k;
    if (n.block) {
      k = price(*n.block, device, true);
      const KernelCost waiting = price(*n.block, device, false);
      if (k.resident == 0 || (waiting.resident > 0 && waiting.seconds < k.seconds)) k = waiting;
      // Too large for the device as it is planned here: nothing is known of its time.
      if (k.resident == 0) k.seconds = std::numeric_limits<double>::infinity();
    } else {
      std::vector<Sizes> operands;
      for (uint32_t o : n.operands) operands.push_back(graph.values[o]);
      const cost::Work w = work(ops_.get(n.op), operands, Place{n.axis, 1, 0});
      k.l2_bytes = device;
      k.flops = w.flops;
      const double arithmetic =
          2 * w.macs / machine_.matmul_flops_per_second + (w.flops - 2 * w.macs) / machine_.flops_per_second;
      k.seconds = std::max(arithmetic, device / machine_.device_bytes_per_second) + machine_.load_seconds;
    }
    k.device_bytes = device;
    k.seconds += machine_.launch_seconds;
    out.seconds += k.seconds;
    out.kernels.push_back(k);
  }
  return out;
}

std::string print(const MuCost& cost, const Machine& machine) {
  std::string out;
  for (size_t i = 0; i < cost.kernels.size(); ++i) {
    const KernelCost& k = cost.kernels[i];
    out += fmt::format("kernel {}: {}; {} of device memory, {} to blocks", i, format_seconds(k.seconds),
                       format_bytes(static_cast<uint64_t>(k.device_bytes)),
                       format_bytes(static_cast<uint64_t>(k.l2_bytes)));
    if (k.blocks > 0)
      out += fmt::format(", {} of {}; {} blocks, {} at a time on a {}, {} barriers{}",
                         format_bytes(static_cast<uint64_t>(k.shared_bytes)), machine.near_memory, k.blocks,
                         k.resident, machine.processor, k.barriers, k.ahead ? ", loads ahead" : "");
    out += fmt::format("; {:.3g} operations\n", k.flops);
  }
  return out;
}

}  // namespace isomer::mugraph
