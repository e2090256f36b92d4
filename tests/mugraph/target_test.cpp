// The same program for a GPU and for a CPU: what fits, what is found, what is cheaper.
#include "mugraph/target.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "mugraph/found_store.h"
#include "mugraph/kernel_cost.h"
#include "mugraph/own_operators.h"
#include "mugraph/structural_hash.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

/// x [m, k] w [k, n] by one block.
MuGraph product(int64_t m, int64_t k, int64_t n, int64_t range) {
  MuGraph g;
  g.values = {{m, k}, {k, n}, {}};
  g.inputs = 2;
  BlockGraph b;
  b.loops = {range};
  b.inputs = {{{kWhole, kWhole, kWhole}, {range > 1 ? 1 : kWhole}, {}},
              {{kWhole, kWhole, kWhole}, {range > 1 ? 0 : kWhole}, {}}};
  b.nodes = {{g.ops->at("matmul"), -1, {0, 1}, {}, false}, {g.ops->at("accumulate"), -1, {2}, {}, false}};
  b.outputs = {{3, {kWhole, kWhole, kWhole}}};
  g.nodes = {{0, -1, std::make_shared<BlockGraph>(b), {0, 1}, {2}}};
  g.outputs = {2};
  EXPECT_EQ(infer_sizes(g), "");
  return g;
}

// A GPU's block has 96 KiB for halves; a core 1 MiB for floats, but 32 KiB for what an iteration loads.
TEST(Target, TilesFitWhereThereIsMemoryForThem) {
  const MemoryLimits gpu = a100_target().memory, cpu = cpu_target({}).memory;
  const MuGraph large = product(256, 256, 256, 1);  // 384 KiB of halves, 768 of floats
  EXPECT_EQ(check_memory(large, cpu), "");
  EXPECT_EQ(check_memory(large, gpu), "kernel 0: 393216 bytes of tiles, 98304 of shared memory are there");
  EXPECT_EQ(check_memory(product(512, 512, 256, 1), cpu),
            "kernel 0: 2097152 bytes of tiles, 1048576 of L2 cache are there");
  // In each of 4 iterations 4,096 numbers each of x and w, and a product of 4,096: 24 and 48 KiB.
  const MuGraph looped = product(64, 256, 64, 4);
  EXPECT_EQ(iteration_bytes(*looped.ops, *looped.nodes[0].block, 2), 3 * 64 * 64 * 2);
  EXPECT_EQ(check_memory(looped, gpu), "");
  EXPECT_EQ(check_memory(looped, cpu),
            "kernel 0: 49152 bytes of tiles of an iteration, 32768 of L1 cache are there");
  EXPECT_EQ(check_memory(product(64, 256, 64, 16), cpu), "");
  EXPECT_EQ(iteration_bytes(*large.ops, *large.nodes[0].block, 2), 0);  // no iteration
}

TEST(Target, ThreadGraphsStayInVectorRegisters) {
  EXPECT_EQ(cpu_target({}).memory.register_bytes, 16 * 32);
  EXPECT_EQ(cpu_target({.vector_registers = 32, .vector_bytes = 64}).memory.register_bytes, 32 * 64);
  const MuGraph& g = published::mirage::figure("RMSNorm by threads").graph;
  EXPECT_EQ(check_memory(g, cpu_target({.l1_bytes = 1 << 20}).memory), "");
  EXPECT_EQ(
      check_memory(g, cpu_target({.l1_bytes = 1 << 20, .vector_registers = 1, .vector_bytes = 8}).memory),
      "kernel 0: 28 bytes of tiles of a thread, 8 of registers are there");
}

class FinerChoices : public testing::TestWithParam<const char*> {};

TEST_P(FinerChoices, HoldAllOthers) {
  const Target t = with_finer_choices(target(GetParam()));
  const ScheduleChoices usual = t.choices, finer = *t.finer;
  const auto holds = [](const std::vector<int64_t>& many, const std::vector<int64_t>& some) {
    return many.size() > some.size() && std::ranges::includes(many, some);
  };
  EXPECT_TRUE(holds(finer.tile_extents, usual.tile_extents));
  EXPECT_TRUE(holds(finer.parts, usual.parts));
  EXPECT_TRUE(holds(finer.ranges, usual.ranges));
}

// Beside the usual ones, also where there are more than are looked at.
TEST_P(FinerChoices, TakeNoPlaceOfUsualSchedules) {
  const Program& p = program("gated_mlp");
  SearchOptions o = preset_for(p);
  o.max_kernel_ops = 4, o.verify.floats = false;
  o.target = target(GetParam());
  const auto hashes = [&] {
    std::set<uint64_t> out;
    const SearchResult r = search(p, p.extents, o);
    for (const FoundMuGraph& f : r.found)
      for (const MuGraph& g : f.schedules) EXPECT_TRUE(out.insert(structural_hash(g)).second);
    EXPECT_LE(r.cut, r.passed);
    return out;
  };
  const std::set<uint64_t> usual = hashes();
  o.target = with_finer_choices(o.target);
  const std::set<uint64_t> both = hashes();
  EXPECT_GT(both.size(), usual.size());
  EXPECT_TRUE(std::ranges::includes(both, usual));
}
INSTANTIATE_TEST_SUITE_P(Of, FinerChoices, testing::Values("a100", "cpu"));

TEST(Target, IsKnownByNameAndByAllThatIsInIt) {
  EXPECT_EQ(target("a100").memory.shared_bytes, 96 * 1024);
  EXPECT_EQ(target("cpu").memory.element_bytes, 4);
  EXPECT_THROW(target("toaster"), UsageError);
  EXPECT_NE(target_number(target("cpu")), target_number(target("a100")));
  EXPECT_EQ(target_number(target("cpu")), target_number(cpu_target({})));
  EXPECT_NE(target_number(target("cpu")), target_number(cpu_target({.l2_bytes = 512 * 1024})));
  EXPECT_NE(target_number(target("cpu")), target_number(cpu_target({.cores = 9})));
  EXPECT_NE(target_number(target("cpu")), target_number(with_finer_choices(target("cpu"))));
  const Cpu here = this_cpu();
  EXPECT_GT(here.cores, 0);
  EXPECT_GE(here.l1_bytes, 4096);
  EXPECT_GE(here.l2_bytes, here.l1_bytes);
}

TEST(Target, SearchesFindThePublishedStructuresForACpuToo) {
  for (const char* name : {"RMSNorm", "GatedMLP", "figure 9b", "figure 10b", "figure 8a", "FlashAttention"}) {
    const published::mirage::Figure& p = published::mirage::figure(name);
    SearchOptions o = own_operators(p);
    o.target = target("cpu");
    const SearchResult r = search(program(p.program), p.extents, o);
    EXPECT_EQ(r.stop_reason, StopReason::kSaturated);
    EXPECT_TRUE(has_structure(r, p.graph)) << name;
    EXPECT_GT(r.schedules(), 0U);
    for (const FoundMuGraph& f : r.found)
      for (const MuGraph& g : f.schedules) EXPECT_EQ(check_memory(g, o.target.memory), "") << print(g);
  }
}

TEST(Target, ASmallerCacheHasFewerSchedules) {
  const published::mirage::Figure& p = published::mirage::figure("figure 10b");
  SearchOptions o = own_operators(p);
  o.target = cpu_target({});
  const SearchResult usual = search(program(p.program), p.extents, o);
  o.target = cpu_target({.l1_bytes = 1024, .l2_bytes = 4096});
  const SearchResult small = search(program(p.program), p.extents, o);
  EXPECT_EQ(small.states, usual.states);  // structures first
  EXPECT_LT(small.schedules(), usual.schedules());
}

/// Each operator of the program as a kernel of its own.
MuGraph unfused(const published::mirage::Figure& p,
                std::initializer_list<std::pair<const char*, std::vector<uint32_t>>> ops) {
  MuGraph g;
  g.values = program(p.program).input_sizes(p.extents);
  g.inputs = g.values.size();
  for (const auto& [op, operands] : ops) {
    g.nodes.push_back({g.ops->at(op), 2, nullptr, operands, {static_cast<uint32_t>(g.values.size())}});
    g.values.emplace_back();
  }
  g.outputs = {static_cast<uint32_t>(g.values.size() - 1)};
  EXPECT_EQ(infer_sizes(g), "");
  return g;
}

TEST(Target, FusedKernelsOfACpuAreCheaperThanOneForEachOperator) {
  const std::pair<const char*, MuGraph> cases[] = {
      {"GatedMLP", unfused(published::mirage::figure("GatedMLP"),
                           {{"matmul", {0, 1}}, {"silu", {3}}, {"matmul", {0, 2}}, {"mul", {4, 5}}})},
      {"figure 9b", unfused(published::mirage::figure("figure 9b"),
                            {{"matmul", {0, 1}}, {"matmul", {0, 2}}, {"matmul", {5, 3}}, {"add", {4, 6}}})},
      {"figure 10b", unfused(published::mirage::figure("figure 10b"),
                             {{"matmul", {0, 1}}, {"exp", {4}}, {"matmul", {5, 2}}, {"add", {6, 3}}})},
      {"figure 8a",
       unfused(published::mirage::figure("figure 8a"),
               {{"matmul", {0, 1}}, {"exp", {3}}, {"sum", {4}}, {"matmul", {4, 2}}, {"div", {6, 5}}})}};
  const Target t = target("cpu");
  for (const auto& [name, apart] : cases) {
    const published::mirage::Figure& p = published::mirage::figure(name);
    SearchOptions o = own_operators(p);
    o.target = t;
    const SearchResult r = search(program(p.program), p.extents, o);
    double best = std::numeric_limits<double>::infinity();
    for (const FoundMuGraph& f : r.found) best = std::min(best, f.costs[0]);
    EXPECT_LT(best, Pricing(t).price(apart).seconds) << name;
  }
}

TEST(Target, APassOfAProductOverItsSumIsFreeOnlyWhereProductsAdd) {
  const MuGraph g = product(8, 256, 64, 4);
  Target t = cpu_target({});
  const double with = Pricing(t).price(g).kernels[0].flops;
  t.machine.products_add = false;
  EXPECT_EQ(Pricing(t).price(g).kernels[0].flops - with, 4 * 8 * 64);
}

}  // namespace
}  // namespace isomer::mugraph
