// The muGraphs of Mirage's papers: right, as cheap as the papers say, and found.
#include "published/mirage_figures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "mugraph/kernel_cost.h"
#include "mugraph/mirage_json.h"
#include "mugraph/own_operators.h"

namespace isomer::mugraph {
namespace {

const MuGraph& graph_of(std::string_view name) { return published::mirage::figure(name).graph; }

TEST(Published, IsProvedAndFitsTheMemory) {
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    SCOPED_TRACE(p.name);
    EXPECT_EQ(check_spec(p.graph), "");
    EXPECT_EQ(check_memory(p.graph, {}), "") << print(p.graph);
    MuVerifyOptions options;
    options.log2_error = -10;  // with exponentials each test gives little
    options.floats = p.program == "lora" || p.program == "mlp";
    const MuVerdict v = verify_mugraph(p.graph, program(p.program), options);
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kProved) << verify::summary(v.verdict) << print(p.graph);
    EXPECT_EQ(v.extents, p.extents);
    const auto again = parse_mirage_json(write_mirage_json({p.graph}), "written");
    EXPECT_EQ(print(again.at(0)), print(p.graph));
  }
}

// A vector is the d elements of one token: 4 queries, 1,024 keys, 1,024 values; 32, 128, 128.
TEST(Published, BlocksLoadAsManyVectorsAsThePaperSays) {
  EXPECT_EQ(elements_loaded(*graph_of("figure 8a").nodes[0].block), 2052 * 64);
  EXPECT_EQ(elements_loaded(*graph_of("figure 8b").nodes[0].block), 288 * 64);
}

// Not by the grace of one constant: whatever the gap between two kernels is held to be.
TEST(Published, IsCheaperThanWhatItReplaces) {
  for (double gap : {0.0, 0.9e-6, 5e-6}) {
    Target target = a100_target();
    target.machine.launch_seconds = gap;
    Pricing pricing(target);
    EXPECT_LT(pricing.price(graph_of("figure 8b")).seconds, pricing.price(graph_of("figure 8a")).seconds)
        << gap;
    EXPECT_LT(pricing.price(graph_of("figure 4c")).seconds, pricing.price(graph_of("figure 4b")).seconds)
        << gap;
  }
}

// Without rescaling the sums are those of another function; and a maximum is any order for the verifier,
// which it says.
TEST(Published, OnlineSoftmaxNeedsItsRescaling) {
  const Program& p = program("safe_attention");
  MuVerifyOptions options;
  options.floats = false;
  options.log2_error = -1;
  const MuVerdict right = verify_mugraph(graph_of("online softmax"), p, options);
  EXPECT_EQ(right.verdict.kind, verify::VerdictKind::kProved);
  EXPECT_TRUE(std::ranges::count(right.verdict.uninterpreted, "order")) << verify::summary(right.verdict);
  size_t refuted = 0;
  for (const auto& [from, to] : {std::pair{"accumulate_rescale", "accumulate"},
                                 std::pair{"accumulate_sum_rescale", "accumulate_sum"}}) {
    MuGraph wrong = graph_of("online softmax");
    auto b = std::make_shared<BlockGraph>(*wrong.nodes[0].block);
    for (BlockNode& n : b->nodes)
      if (n.op == wrong.ops->at(from)) n = {wrong.ops->at(to), -1, {n.operands[0]}, {}, false};
    wrong.nodes[0].block = b;
    ASSERT_EQ(infer_sizes(wrong), "");
    refuted += verify_mugraph(wrong, p, options).verdict.kind == verify::VerdictKind::kRefuted;
  }
  EXPECT_EQ(refuted, 2U);
}

// The maxima of the parts decide by how much each part counts: neither they nor the second kernel's rescaling
// can be left out, nor be those of the first part.
TEST(Published, PartsOfOnlineSoftmaxAreRescaledToOneMaximum) {
  const Program& p = program("safe_attention");
  MuVerifyOptions options;
  options.floats = false;
  options.log2_error = -1;
  const MuGraph& right = graph_of("split online softmax");
  EXPECT_EQ(right.nodes[0].results.size(), 3U);
  EXPECT_EQ(verify_mugraph(right, p, options).verdict.kind, verify::VerdictKind::kProved);
  const auto changed = [&](size_t kernel, const auto& change) {
    MuGraph wrong = right;
    auto b = std::make_shared<BlockGraph>(*right.nodes[kernel].block);
    change(*b);
    wrong.nodes[kernel].block = b;
    EXPECT_EQ(infer_sizes(wrong), "");
    return verify_mugraph(wrong, p, options).verdict.kind;
  };
  const MuOpId mul = right.ops->at("mul"), add = right.ops->at("add"), max = right.ops->at("accumulate_max"),
               sum = right.ops->at("accumulate"), rescale = right.ops->at("accumulate_rescale");
  const auto exchange = [](BlockGraph& b, MuOpId from, MuOpId to, size_t operands) {
    for (BlockNode& n : b.nodes)
      if (n.op == from) n.op = to, n.operands.resize(operands);
  };
  EXPECT_EQ(changed(0, [&](BlockGraph& b) { exchange(b, max, sum, 1); }), verify::VerdictKind::kRefuted);
  EXPECT_EQ(changed(1, [&](BlockGraph& b) { exchange(b, rescale, sum, 1); }), verify::VerdictKind::kRefuted);
  EXPECT_EQ(changed(1, [&](BlockGraph& b) { exchange(b, mul, add, 2); }), verify::VerdictKind::kRefuted);
}

/// The same muGraph without `repeat` in its blocks, of which none has thread graphs: elementwise operators
/// repeat their operands themselves.
MuGraph without_repeats(const MuGraph& graph) {
  const MuOpId repeat = graph.ops->at("repeat");
  MuGraph out = graph;
  for (KernelNode& kernel : out.nodes) {
    if (!kernel.block) continue;
    auto b = std::make_shared<BlockGraph>(*kernel.block);
    std::vector<uint32_t> now(b->inputs.size());  // the number of each value
    std::iota(now.begin(), now.end(), 0U);
    std::vector<BlockNode> kept;
    for (BlockNode n : b->nodes) {
      for (uint32_t& o : n.operands) o = now[o];
      const bool stays = n.op != repeat;
      now.push_back(stays ? static_cast<uint32_t>(b->inputs.size() + kept.size()) : n.operands[0]);
      if (stays) kept.push_back(std::move(n));
    }
    b->nodes = std::move(kept);
    for (BlockOutput& o : b->outputs) o.value = now[o.value];
    kernel.block = std::move(b);
  }
  return out;
}

// With Repeat as an operator the same structures are found; what repeats without it is not.
TEST(Published, IsFoundWithRepeatInTheFirstVersionsWay) {
  for (const char* name : {"figure 8a", "RMSNorm"}) {
    const published::mirage::Figure& p = published::mirage::figure(name);
    SearchOptions o = own_operators(p);
    const SearchResult usual = search(program(p.program), p.extents, o);
    search_as_seed(o);
    const SearchResult r = search(program(p.program), p.extents, o);
    EXPECT_GT(r.states, usual.states);
    EXPECT_EQ(r.passed, r.tested);
    EXPECT_FALSE(has_structure(r, p.graph)) << name;
    EXPECT_TRUE(std::ranges::any_of(r.found, [&](const FoundMuGraph& f) {
      return f.verdict.verdict.kind == verify::VerdictKind::kProved &&
             structure_hash(without_repeats(f.model)) == structure_hash(p.graph);
    })) << name;
    for (const FoundMuGraph& f : r.found)
      for (const KernelNode& k : f.model.nodes)
        for (size_t i = 0; k.block && i < k.block->nodes.size(); ++i) {
          const BlockNode& n = k.block->nodes[i];
          if (!f.model.ops->get(n.op).broadcasts) continue;
          EXPECT_EQ(k.block->sizes(n.operands[0]), k.block->sizes(n.operands[1])) << print(f.model);
        }
  }
}

TEST(Published, StructureForgetsSizesAndNothingElse) {
  const MuGraph& graph = graph_of("figure 8b");
  MuGraph other = graph;
  auto b = std::make_shared<BlockGraph>(*graph.nodes[0].block);
  std::swap(b->grid[1], b->grid[2]);
  for (auto& input : b->inputs) std::swap(input.imap[1], input.imap[2]);
  for (auto& output : b->outputs) std::swap(output.omap[1], output.omap[2]);
  b->grid[1] = 16;
  other.nodes[0].block = b;
  EXPECT_EQ(structure_hash(other), structure_hash(graph));
  EXPECT_NE(structural_hash(other), structural_hash(graph));
  b->inputs[0].imap[2] = kWhole;
  EXPECT_NE(structure_hash(other), structure_hash(graph));
}

bool finds(const published::mirage::Figure& p, const SearchOptions& options) {
  const SearchResult r = search(program(p.program), p.extents, options);
  if (std::getenv("ISOMER_SHOW") != nullptr)
    fmt::print("{}: {} states, {} structures, {:.2f} s\n", p.name, r.states, r.found.size(), r.cpu_seconds);
  EXPECT_EQ(r.stop_reason, StopReason::kSaturated);
  return has_structure(r, p.graph);
}

// Two kernels of attention take longer.
bool takes_long(const published::mirage::Figure& p) {
  return p.graph.nodes.size() > 1 && !program(p.program).batch.empty();
}

// From the operators that it has, at its size; test-all looks for the others, and searches with all
// operators.
void expect_found(bool long_ones) {
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    if (!p.searched || takes_long(p) != long_ones) continue;
    const SearchOptions o = own_operators(p);
    EXPECT_TRUE(finds(p, o)) << p.name << "\n" << print(p.graph);
  }
}

TEST(Published, IsFound) { expect_found(false); }
TEST(Published, DISABLED_LongIsFound) { expect_found(true); }

TEST(Published, DISABLED_LongIsFoundWithAllOperators) {
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    if (!p.searched || takes_long(p)) continue;
    SearchOptions o = preset_for(program(p.program));
    o.verify.floats = false;
    EXPECT_TRUE(finds(p, o)) << p.name << "\n" << print(p.graph);
  }
}

}  // namespace
}  // namespace isomer::mugraph
