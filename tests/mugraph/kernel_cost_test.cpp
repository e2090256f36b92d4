#include "mugraph/kernel_cost.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mugraph/block_plan.h"
#include "published/mirage_figures.h"

namespace isomer::mugraph {
namespace {

const MuGraph& figure(std::string_view name) { return published::mirage::figure(name).graph; }

TEST(KernelCost, CountsAProduct) {
  MuGraph g;
  g.values = {{16, 32}, {32, 64}, {16, 64}};
  g.inputs = 2;
  g.nodes = {{g.ops->at("matmul"), -1, nullptr, {0, 1}, {2}}};
  g.outputs = {2};
  const MuCost cost = Pricing().price(g);
  EXPECT_DOUBLE_EQ(cost.kernels[0].flops, 2.0 * 16 * 32 * 64);
  EXPECT_DOUBLE_EQ(cost.bytes(), 2.0 * (16 * 32 + 32 * 64 + 16 * 64));
  EXPECT_GT(cost.seconds, a100().launch_seconds);
}

// Figure 8a: a block loads 4 queries, 1,024 keys and 1,024 values of 64 elements and saves 4 vectors.
TEST(KernelCost, CountsABlockAsItIsPlanned) {
  const MuGraph& g = figure("figure 8a");
  const BlockGraph& b = *g.nodes[0].block;
  const double blocks = static_cast<double>(b.grid[0] * b.grid[1] * b.grid[2]);
  const KernelCost k = Pricing().price(g).kernels[0];
  EXPECT_DOUBLE_EQ(k.l2_bytes, blocks * 2 * (2052 * 64 + 4 * 64));
  EXPECT_EQ(k.blocks, static_cast<int64_t>(blocks));
  const BlockPlan plan = plan_block(*g.ops, b, {.ahead = k.ahead});
  EXPECT_EQ(k.barriers, b.range() * plan.loop_barriers + plan.after_barriers);
  EXPECT_EQ(k.shared_memory, plan.memory.bytes);
  // Two products of 4 queries with 1,024 keys or values of 64 elements, and less of everything else.
  const double products = blocks * 2 * 2 * 4 * 1024 * 64;
  EXPECT_GT(k.flops, products);
  EXPECT_LT(k.flops, 1.2 * products);
}

// What only the inner loop cuts is loaded again in each iteration of the outer one; what only the outer one
// cuts stays.
TEST(KernelCost, KnowsWhichLoopIsTheOuterOne) {
  BlockGraph b;
  b.loops = {3, 5};
  b.inputs = {{{kWhole, kWhole, kWhole}, {0, kWhole}, {2}}};
  EXPECT_EQ(elements_loaded(b), 3 * 2);
  b.inputs[0].fmap = {kWhole, 0};
  EXPECT_EQ(elements_loaded(b), 15 * 2);
  b.inputs[0].fmap = {kWhole, kWhole};
  EXPECT_EQ(elements_loaded(b), 2);
}

/// x [m, k] w [k, n] in 4 iterations by one block.
MuGraph product(int64_t m, int64_t k, int64_t n) {
  MuGraph g;
  g.values = {{m, k}, {k, n}, {}};
  g.inputs = 2;
  BlockGraph b;
  b.loops = {4};
  b.inputs = {{{kWhole, kWhole, kWhole}, {1}, {}}, {{kWhole, kWhole, kWhole}, {0}, {}}};
  b.nodes = {{g.ops->at("matmul"), -1, {0, 1}, {}, false}, {g.ops->at("accumulate"), -1, {2}, {}, false}};
  b.outputs = {{3, {kWhole, kWhole, kWhole}}};
  g.nodes = {{0, -1, std::make_shared<BlockGraph>(b), {0, 1}, {2}}};
  g.outputs = {2};
  EXPECT_EQ(infer_sizes(g), "");
  return g;
}

/// All that is free costs nothing; what is left is what a test asks about.
Machine free_machine() {
  constexpr double kFast = 1e30;
  Machine p = a100();
  p.device_bytes_per_second = p.l2_bytes_per_second = p.l2_bytes_per_second_each = kFast;
  p.shared_bytes_per_second = p.matmul_flops_per_second = kFast;
  p.flops_per_second = 1e-3 * kFast;
  p.launch_seconds = p.load_seconds = p.barrier_seconds = 0;
  return p;
}

/// The usual target on another machine.
Target with(const Machine& machine) {
  Target t = a100_target();
  t.machine = machine;
  return t;
}

TEST(KernelCost, ProductsPayForWholeFragmentsOfMatrixUnits) {
  Machine p = free_machine();
  p.matmul_flops_per_second = 1e12;
  p.flops_per_second = 1e9;  // never the quicker way
  const auto seconds = [&](int64_t rows) {
    // Without what the accumulator adds, which is not a product.
    MuGraph g = product(rows, 256, 64);
    const double adds = 4.0 * static_cast<double>(rows) * 64 / p.flops_per_second * p.multiprocessors;
    return Pricing(with(p)).price(g).seconds - adds;
  };
  EXPECT_NEAR(seconds(4) / seconds(8), 1, 1e-9);
  EXPECT_NEAR(seconds(9) / seconds(8), 2, 1e-9);
  // One block of one multiprocessor: its share of the machine's arithmetic.
  EXPECT_NEAR(seconds(8), 2.0 * 8 * 256 * 64 / 1e12 * p.multiprocessors, 1e-15);
}

TEST(KernelCost, AnIterationIsNotShorterThanTheLatencyOfItsLoad) {
  Machine p = free_machine();
  p.load_seconds = 1e-6;
  const MuGraph g = product(8, 256, 64);
  EXPECT_NEAR(Pricing(with(p)).price(g).seconds, 4e-6, 1e-12);
}

TEST(KernelCost, OneMultiprocessorTakesInNoMoreThanItsShare) {
  Machine p = free_machine();
  p.l2_bytes_per_second_each = 1e9;
  const MuGraph g = product(8, 256, 64);
  const KernelCost k = Pricing(with(p)).price(g).kernels[0];
  EXPECT_NEAR(k.seconds, k.l2_bytes / 1e9, 1e-12);
}

// What ranks schedules beyond traffic.
TEST(KernelCost, GrowsWithBarriersAndWithMissingMemory) {
  const MuGraph& g = figure("figure 8a");
  const double usual = Pricing().price(g).seconds;
  Machine slow_barriers = a100();
  slow_barriers.barrier_seconds *= 10;
  EXPECT_GT(Pricing(with(slow_barriers)).price(g).seconds, usual);
  // A multiprocessor that holds one block needs as many waves as it has blocks.
  Machine little = a100();
  little.multiprocessors = 4;
  const KernelCost many = Pricing(with(little)).price(g).kernels[0];
  little.shared_bytes = little.block_shared_bytes = many.shared_memory + 2048;
  const KernelCost one = Pricing(with(little)).price(g).kernels[0];
  EXPECT_GT(many.resident, 1);
  EXPECT_GT(one.waves, many.waves);
  EXPECT_GT(one.seconds, many.seconds);
  little.block_shared_bytes = 16;
  EXPECT_EQ(Pricing(with(little)).price(g).seconds, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace isomer::mugraph
