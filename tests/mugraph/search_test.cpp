#include "mugraph/search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "mugraph/interpret.h"
#include "mugraph/mirage_json.h"
#include "mugraph/random_tensors.h"
#include "mugraph/structural_hash.h"
#include "support/sanitized.h"

namespace isomer::mugraph {
namespace {

SearchOptions quick(const Program& p, int block_ops, int kernel_ops) {
  SearchOptions o = preset_for(p);
  o.max_block_ops = block_ops;
  o.max_kernel_ops = kernel_ops;
  o.verify.floats = false;
  return o;
}

/// Every kind of schedule is run at model sizes by grid and loop, which the search itself does not do.
void expect_right(const Program& p, const SearchResult& r) {
  Rng rng(5);
  for (const FoundMuGraph& f : r.found) {
    const auto extents = p.match(std::span(f.model.values).first(f.model.inputs));
    ASSERT_TRUE(extents);
    ir::Context ctx(ir::standard_ops());
    const auto inputs = random_tensors(p.input_sizes(*extents), rng);
    eval::Float64 domain;
    const auto is = interpret(domain, f.model, std::span<const FloatTensor>(inputs));
    EXPECT_LT(difference(is[0], run_graph(p.graph(ctx, *extents), inputs)[0]), 1e-9) << print(f.model);
    EXPECT_EQ(f.verdict.verdict.kind, verify::VerdictKind::kProved);
    for (const MuGraph& g : f.schedules) {
      EXPECT_EQ(check_spec(g), "");
      EXPECT_EQ(check_memory(g, {}), "");
    }
  }
}

TEST(Search, FindsMiragesRmsNormKernelWithItsSchedules) {
  const Program& p = program("rmsnorm");
  const SearchResult r = search(p, p.extents, quick(p, 9, 4));
  EXPECT_EQ(r.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(r.passed, r.tested);  // axes and expressions leave nothing wrong over
  expect_right(p, r);
  std::set<uint64_t> hashes;
  for (const FoundMuGraph& f : r.found)
    for (const MuGraph& g : f.schedules) hashes.insert(structural_hash(g));
  EXPECT_EQ(hashes.size(), r.schedules());  // all different
  // The project's saved result: accumulate-RMS beside the product, the division at the end.
  const auto saved = read_mirage_json(ISOMER_SOURCE_DIR "/tests/data/mugraphs/rmsnorm_bs1.json");
  std::string structure;
  for (const FoundMuGraph& f : r.found) {
    const auto& nodes = f.model.nodes;
    if (nodes.size() == 1 && nodes[0].block && nodes[0].block->range() > 1) structure = print(f.model);
  }
  EXPECT_NE(structure.find("accumulate_rms(t0)"), std::string::npos);
  EXPECT_NE(structure.find("t5 = div(t4, t2)"), std::string::npos) << structure;
  EXPECT_NE(print(saved[0]).find("t5 = div(t4, t2)"), std::string::npos);
}

TEST(Search, FindsGatedMlpInOneKernel) {
  const Program& p = program("gated_mlp");
  const SearchResult r = search(p, p.extents, quick(p, 9, 4));
  expect_right(p, r);
  EXPECT_TRUE(std::ranges::any_of(r.found, [](const FoundMuGraph& f) {
    return f.model.nodes.size() == 1 && f.model.nodes[0].block->range() > 1;
  }));
}

TEST(Search, FindsLoraInOneKernel) {
  const Program& p = program("lora");
  const SearchResult r = search(p, p.extents, quick(p, 8, 5));
  expect_right(p, r);
  EXPECT_TRUE(std::ranges::any_of(r.found, [](const FoundMuGraph& f) { return f.model.nodes.size() == 1; }));
}

// X A B where both inner dimensions are long: with one loop some tile of A is a whole row or column of it.
TEST(Search, TwoLoopsCutWhatOneCannot) {
  const Program& p = program("matmul_chain");
  SearchOptions o = quick(p, 9, 4);
  const SearchResult one = search(p, p.extents, o);
  EXPECT_GT(one.passed, 0U);
  EXPECT_EQ(one.without_schedule, one.passed);
  o.loop_dims = 2;
  const SearchResult two = search(p, p.extents, o);
  EXPECT_EQ(two.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(two.passed, two.tested);
  ASSERT_FALSE(two.found.empty());
  expect_right(p, two);
  std::set<uint64_t> hashes;
  for (const FoundMuGraph& f : two.found) {
    EXPECT_EQ(f.model.nodes.at(0).block->loops.size(), 2U);
    for (const MuGraph& g : f.schedules) hashes.insert(structural_hash(g));
  }
  EXPECT_EQ(hashes.size(), two.schedules());
  EXPECT_NE(search_number(p, p.extents, o), search_number(p, p.extents, quick(p, 9, 4)));
}

TEST(Search, IsRepeatable) {
  const Program& p = program("mlp");
  const SearchResult a = search(p, p.extents, quick(p, 8, 5)), b = search(p, p.extents, quick(p, 8, 5));
  EXPECT_EQ(a.states, b.states);
  ASSERT_EQ(a.found.size(), b.found.size());
  for (size_t i = 0; i < a.found.size(); ++i) EXPECT_EQ(print(a.found[i].model), print(b.found[i].model));
}

void expect_same(const SearchResult& a, const SearchResult& b) {
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.pruned, b.pruned);
  EXPECT_EQ(a.queries, b.queries);
  EXPECT_EQ(a.candidates, b.candidates);
  ASSERT_EQ(a.found.size(), b.found.size());
  for (size_t i = 0; i < a.found.size(); ++i) {
    EXPECT_EQ(print(a.found[i].model), print(b.found[i].model));
    ASSERT_EQ(a.found[i].schedules.size(), b.found[i].schedules.size());
    for (size_t s = 0; s < a.found[i].schedules.size(); ++s)
      EXPECT_EQ(structural_hash(a.found[i].schedules[s]), structural_hash(b.found[i].schedules[s]));
  }
}

TEST(Search, FindsTheSameWithAnyNumberOfThreads) {
  size_t most = 0;
  for (const char* name : {"gated_mlp", "mlp"}) {
    const Program& p = program(name);
    SearchOptions o = quick(p, 6, 6);
    const SearchResult one = search(p, p.extents, o);
    EXPECT_FALSE(one.found.empty()) << name;
    most = std::max(most, one.found.size());
    for (unsigned threads : {2U, 4U}) {
      o.threads = threads;
      expect_same(one, search(p, p.extents, o));
    }
  }
  EXPECT_GT(most, 1);  // or there is no order to keep
}

// Stopped after some of its parts, and again: what was finished is not done again, and nothing else changes.
TEST(Search, GoesOnFromACheckpoint) {
  const Program& p = program("mlp");
  SearchOptions o = quick(p, 6, 6);
  const SearchResult whole = search(p, p.extents, o);
  const auto file = std::filesystem::path(testing::TempDir()) / fmt::format("mugraph-{}.sqlite", getpid());
  o.checkpoint = file.string();
  for (uint64_t limit : {whole.states / 8, whole.states / 4, whole.states / 2}) {
    o.limits.nodes = limit;
    EXPECT_EQ(search(p, p.extents, o).stop_reason, StopReason::kNodeLimit);
  }
  o.limits = {};
  const SearchResult resumed = search(p, p.extents, o);
  EXPECT_EQ(resumed.stop_reason, StopReason::kSaturated);
  EXPECT_GT(resumed.resumed, 0);
  expect_same(whole, resumed);
  const SearchResult again = search(p, p.extents, o);  // nothing left to do
  EXPECT_GT(again.resumed, resumed.resumed);
  expect_same(whole, again);
  o.max_block_ops = 5;  // another search: nothing of this one
  EXPECT_EQ(search(p, p.extents, o).resumed, 0);
  std::filesystem::remove(file);
}

// What pruning and canonical form leave out is nothing new: without them the search finds no program that the
// full search has not, up to the rewrites that the canonical form stands for.
TEST(Search, AblationsLookAtMoreAndFindTheSameKernels) {
  const Program& p = program("gated_mlp");
  SearchOptions o = quick(p, 6, 4);
  const SearchResult full = search(p, p.extents, o);
  o.prune = false;
  const SearchResult unpruned = search(p, p.extents, o);
  EXPECT_EQ(unpruned.stop_reason, StopReason::kSaturated);
  EXPECT_GT(unpruned.states, 5 * full.states);
  std::set<uint64_t> with, without;
  for (const auto& f : full.found) with.insert(structural_hash(f.model));
  for (const auto& f : unpruned.found) without.insert(structural_hash(f.model));
  for (uint64_t h : with) EXPECT_TRUE(without.contains(h));
}

// Looking ahead leaves out what comes to nothing, and nothing else.
TEST(Search, LookingAheadChangesNoResult) {
  struct Case {
    const char* program;
    int block_ops, kernel_ops;
  };
  uint64_t looked_at = 0, without_look = 0;
  for (const Case& c :
       {Case{"rmsnorm", 6, 4}, {"gated_mlp", 8, 5}, {"lora", 6, 6}, {"mlp", 6, 6}, {"gqa", 6, 5}}) {
    if (kSanitized && c.block_ops == 6 && c.kernel_ops == 6) continue;
    const Program& p = program(c.program);
    SearchOptions o = quick(p, c.block_ops, c.kernel_ops);
    o.verify.log2_error = -1;  // one test
    const SearchResult ahead = search(p, p.extents, o);
    o.look_ahead = false;
    const SearchResult all = search(p, p.extents, o);
    looked_at += ahead.states;
    without_look += all.states;
    EXPECT_EQ(ahead.candidates, all.candidates) << c.program;
    EXPECT_GT(all.candidates, 0) << c.program;
    std::set<uint64_t> with, without;
    for (const auto& f : ahead.found) with.insert(structural_hash(f.model));
    for (const auto& f : all.found) without.insert(structural_hash(f.model));
    EXPECT_EQ(with, without) << c.program;
  }
  EXPECT_LT(2 * looked_at, without_look);
}

TEST(Search, StopsAtItsLimitWithWhatItHas) {
  const Program& p = program("gqa");
  SearchOptions o = quick(p, 9, 5);
  o.limits.nodes = 5'000;
  const SearchResult r = search(p, p.extents, o);
  EXPECT_EQ(r.stop_reason, StopReason::kNodeLimit);
  EXPECT_LT(r.states, 6'000);
}

}  // namespace
}  // namespace isomer::mugraph
