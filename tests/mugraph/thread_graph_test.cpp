// What threads do with their parts of tiles: by loop, lowered, planned, written and read, and refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "eval/field.h"
#include "mugraph/block_plan.h"
#include "mugraph/drawing.h"
#include "mugraph/interpret.h"
#include "mugraph/kernel_cost.h"
#include "mugraph/layouts.h"
#include "mugraph/lower.h"
#include "mugraph/mirage_json.h"
#include "mugraph/random_tensors.h"
#include "mugraph/sampled_run.h"
#include "mugraph/shrink.h"
#include "mugraph/spec.h"
#include "mugraph/structural_hash.h"
#include "mugraph/thread_graphs.h"
#include "mugraph/verify_mugraph.h"
#include "published/mirage_figures.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

constexpr int kNo = kWhole;

BlockNode node(const char* op, std::vector<uint32_t> operands, int axis = -1) {
  BlockNode n;
  n.op = standard_mu_ops().at(op);
  n.operands = std::move(operands);
  n.axis = axis;
  return n;
}

/// exp(x) y of rows, by two threads along columns and two along rows, in two loops: side by side, and sums.
BlockGraph two_outputs() {
  BlockGraph t;
  t.grid = {2, 2, 1};
  t.loops = {2, 2};
  t.inputs = {{{1, 0, kNo}, {1, 1}, {}}, {{kNo, 0, kNo}, {kNo, kNo}, {}}};
  t.nodes = {node("exp", {0}), node("mul", {2, 1}), node("accumulate_concat", {3}, 1),
             node("accumulate_sum", {3})};
  t.outputs = {{4, {1, 0, kNo}}, {5, {1, 0, kNo}}};
  return t;
}

/// Two blocks of two rows, three iterations of eight columns, over which both outputs are summed.
MuGraph with(const BlockGraph& threads) {
  BlockGraph b;
  b.grid = {2, 1, 1};
  b.loops = {3};
  b.inputs = {{{0, kNo, kNo}, {1}, {}}, {{0, kNo, kNo}, {kNo}, {}}};
  BlockNode n;
  n.operands = {0, 1};
  n.thread = std::make_shared<BlockGraph>(threads);
  for (; n.output < threads.outputs.size(); ++n.output) b.nodes.push_back(n);
  b.nodes.push_back(node("accumulate", {2}));
  b.nodes.push_back(node("accumulate_sum", {3}));
  b.outputs = {{4, {0, kNo, kNo}}, {5, {0, kNo, kNo}}};
  MuGraph g;
  g.inputs = 2;
  g.values = {{4, 24}, {4, 1}, {}, {}};
  g.nodes = {{0, -1, std::make_shared<BlockGraph>(b), {0, 1}, {2, 3}}};
  g.outputs = {2, 3};
  return g;
}

MuGraph example() {
  MuGraph g = with(two_outputs());
  EXPECT_EQ(infer_sizes(g), "");
  EXPECT_EQ(check_spec(g), "");
  return g;
}

TEST(ThreadGraph, ComputesWhatItsThreadsDo) {
  const MuGraph g = example();
  EXPECT_EQ(g.nodes[0].block->nodes[0].thread, g.nodes[0].block->nodes[1].thread);
  EXPECT_EQ(g.nodes[0].block->nodes[0].thread->inputs[0].tile, (Sizes{1, 1}));
  Rng rng(21);
  const auto in = random_tensors({g.values[0], g.values[1]}, rng);
  eval::Float64 domain;
  ir::Context ctx(ir::standard_ops());
  const auto looped = interpret(domain, g, std::span<const FloatTensor>(in));
  const auto lowered = run_graph(lower(ctx, g), in);
  for (const auto& out : {looped, lowered}) {
    ASSERT_EQ(out[0].sizes, (Sizes{4, 8}));
    ASSERT_EQ(out[1].sizes, (Sizes{4, 1}));
    for (size_t r = 0; r < 4; ++r) {
      double all = 0;
      for (size_t c = 0; c < 8; ++c) {
        double sum = 0;
        for (size_t i = 0; i < 3; ++i) sum += std::exp(in[0].numbers[24 * r + 8 * i + c]) * in[1].numbers[r];
        EXPECT_NEAR(out[0].numbers[8 * r + c], sum, 1e-12);
        all += sum;
      }
      EXPECT_NEAR(out[1].numbers[r], all, 1e-12);
    }
  }
}

TEST(ThreadGraph, OfTwoOutputsRunsOnce) {
  const MuGraph g = example();
  const BlockGraph& b = *g.nodes[0].block;
  const double threads = 4 * steps_of_block(*g.ops, *b.nodes[0].thread);
  const double all = steps_of_block(*g.ops, b);
  EXPECT_GT(all, 3 * threads);
  EXPECT_LT(all, 3 * 2 * threads);
}

// What threads write is written along one dimension or another, whichever output it is.
TEST(ThreadGraph, HasAllItsOutputsInTheLayoutProblem) {
  const LayoutProblem p = layout_problem(example());
  for (const char* tile : {"%2.t2", "%2.t3"}) {
    size_t meetings = 0;
    for (const auto& m : p.meetings)
      if (p.tensors[m.a].name == "%2.t0" && p.tensors[m.b].name == tile) ++meetings;
    EXPECT_EQ(meetings, 1u) << tile;
  }
}

TEST(ThreadGraph, IsWrittenAndReadAsItIs) {
  const MuGraph g = example();
  const auto again = parse_mirage_json(write_mirage_json({g}), "written");
  EXPECT_EQ(print(again.at(0)), print(g));
  EXPECT_NE(print(g).find("threads 2x2x1 loops 2x2"), std::string::npos) << print(g);
  EXPECT_EQ(structural_hash(again[0]), structural_hash(g));
  BlockGraph other = two_outputs();
  other.loops = {4, 1};
  MuGraph longer = with(other);
  ASSERT_EQ(infer_sizes(longer), "");
  EXPECT_NE(structural_hash(longer), structural_hash(g));
}

TEST(ThreadGraph, IsOneStepOfItsBlocksPlan) {
  const MuGraph g = example();
  const BlockPlan plan = plan_block(*g.ops, *g.nodes[0].block);
  std::vector<std::vector<uint32_t>> values;
  for (const ThreadGraph& t : plan.threads) values.push_back(t.values);
  EXPECT_EQ(values, (std::vector<std::vector<uint32_t>>{{2, 3}, {4}, {5}}));
  EXPECT_EQ(plan.stored, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
  const std::string drawn = page(std::span(&g, 1), 0, "threads");
  EXPECT_NE(drawn.find("Kernel 0, t2: what a thread does"), std::string::npos);
  EXPECT_NE(drawn.find("t2 = 2x2x1 threads(t0, t1) [2,8]"), std::string::npos);
}

// Six times (blocks, iterations) 16 elements: an exponential (8), a product, and a sum in two steps; then the
// sums of the iterations.
TEST(ThreadGraph, IsPricedByWhatItsThreadsDo) {
  const MuGraph g = example();
  EXPECT_DOUBLE_EQ(Pricing().price(g).kernels[0].flops, 6 * (16 * (8 + 1 + 2) + 16 + 4 + 2));
}

TEST(ThreadGraph, IsRefusedWithWhatIsWrong) {
  const auto wrong = [](auto&& change) {
    BlockGraph t = two_outputs();
    change(t);
    MuGraph g = with(t);
    if (std::string bad = check_structure(g); !bad.empty()) return bad;
    return infer_sizes(g);
  };
  EXPECT_EQ(wrong([](BlockGraph&) {}), "");
  EXPECT_EQ(wrong([](BlockGraph& t) { t.outputs[0].omap[0] = kNo; }),
            "kernel 0: t2 (threads): output 0: what runs along x writes the same elements of an output");
  EXPECT_EQ(wrong([](BlockGraph& t) { t.grid = {16, 16, 1}; }),
            "kernel 0: t2: 256 threads in a block of 128");
  EXPECT_EQ(wrong([](BlockGraph& t) { t.nodes[0] = node("rms_norm", {0}); }),
            "kernel 0: t2: t2: rms_norm is no operator of a thread graph");
  EXPECT_EQ(wrong([](BlockGraph& t) {
              t.outputs[0].value = 3;
              t.outputs[1].value = 5;
              t.nodes[2] = t.nodes[1];
            }),
            "kernel 0: t2: t4: nothing uses it");
  EXPECT_EQ(wrong([](BlockGraph& t) {
              t.outputs[0].value = 3;
              t.nodes[2] = node("accumulate", {3});
              t.nodes[3] = node("accumulate_sum", {4});
            }),
            "kernel 0: t2 (threads): t5 (accumulate_sum): a second accumulator on one path");
  EXPECT_EQ(wrong([](BlockGraph& t) { t.grid = {3, 2, 1}; }),
            "kernel 0: t2 (threads): input 0: the grid cuts dimension 1 of [2,8] into 3 uneven parts");
  EXPECT_EQ(wrong([](BlockGraph& t) { t.nodes[0].thread = std::make_shared<BlockGraph>(two_outputs()); }),
            "kernel 0: t2: t2: threads within a thread");
  MuGraph half = with(two_outputs());
  auto b = std::make_shared<BlockGraph>(*half.nodes[0].block);
  b->nodes[1].output = 0;
  half.nodes[0].block = b;
  EXPECT_EQ(check_structure(half), "kernel 0: t3: expected a tile for each output of its threads, in order");
  MemoryLimits few;
  few.register_bytes = 4;
  EXPECT_NE(check_memory(example(), few).find("of registers are there"), std::string::npos);
}

// Fused by rule: what the published and the saved muGraphs do after it is what they did.
TEST(ThreadGraph, MadeByFusionComputeTheSame) {
  std::vector<std::pair<std::string, MuGraph>> sources;
  for (const published::mirage::Figure& p : published::mirage::figures())
    sources.emplace_back(p.program, p.graph);
  for (const auto& [file, name] :
       {std::pair{"ntrans_bs1", "ntrans"}, {"gated_mlp", "gated_mlp"}, {"gqa_bs1", "gqa"}})
    for (const MuGraph& g :
         read_mirage_json(ISOMER_SOURCE_DIR "/tests/data/mugraphs/" + std::string(file) + ".json"))
      sources.emplace_back(name, g);
  size_t made = 0, operators = 0;
  for (const auto& [name, graph] : sources) {
    SCOPED_TRACE(name);
    const MuGraph fused = with_thread_graphs(graph);
    EXPECT_EQ(check_spec(fused), "");
    size_t here = 0;
    for (size_t k = 0; k < fused.nodes.size(); ++k) {
      if (!fused.nodes[k].block) continue;
      for (const BlockNode& n : fused.nodes[k].block->nodes) here += n.thread && n.thread->nodes.size() > 2;
      operators += graph.nodes[k].block->nodes.size() - fused.nodes[k].block->nodes.size();
    }
    if (print(fused) == print(graph)) continue;
    made += here;
    MuVerifyOptions options;
    options.floats = false;
    options.log2_error = -2;
    const MuVerdict v = verify_mugraph(fused, program(name), options);
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kProved) << verify::summary(v.verdict) << print(fused);
    EXPECT_EQ(print(with_thread_graphs(fused)), print(fused));
    EXPECT_EQ(print(parse_mirage_json(write_mirage_json({fused}), "written").at(0)), print(fused));
  }
  EXPECT_GE(made, 6U);
  EXPECT_GE(operators, made);
}

// Another map, loop, operator or operand of the papers' thread graphs is judged as double precision does.
TEST(ThreadGraph, AChangedOneIsJudgedAsDoublePrecisionDoes) {
  Rng rng(5);
  int equal = 0, different = 0;
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    if (!p.name.ends_with("by threads")) continue;
    const Program& source = program(p.program);
    auto small = shrink(p.graph, source, p.extents, {2, 2, {}});
    if (!small) small = shrink(p.graph, source, p.extents, {2, 2, std::pair{size_t{0}, size_t{1}}});
    ASSERT_TRUE(small) << p.name;
    for (int round = 0; round < 60; ++round) {
      MuGraph g = small->graph;
      auto b = std::make_shared<BlockGraph>(*g.nodes[0].block);
      change_threads(*b, [&](BlockGraph& t) {
        BlockNode& n = t.nodes[rng.below(t.nodes.size())];
        switch (rng.below(6)) {
          case 0:
            t.inputs[rng.below(t.inputs.size())].imap[rng.below(3)] = static_cast<int>(rng.between(-1, 2));
            break;
          case 1: t.inputs[rng.below(t.inputs.size())].fmap[0] = static_cast<int>(rng.between(-1, 2)); break;
          case 2:
            t.outputs[rng.below(t.outputs.size())].omap[rng.below(3)] = static_cast<int>(rng.between(-1, 2));
            break;
          case 3:
            n.op = static_cast<MuOpId>(rng.below(g.ops->size()));
            n.axis = static_cast<int>(rng.between(0, 2));
            break;
          case 4:
            n.operands[rng.below(n.operands.size())] = static_cast<uint32_t>(rng.below(t.values()));
            break;
          default: std::swap(t.grid[rng.below(2)], t.loops[0]);
        }
      });
      g.nodes[0].block = b;
      if (!check_structure(g).empty() || !infer_sizes(g).empty() || print(g) == print(small->graph)) continue;
      ir::Context ctx(ir::standard_ops());
      const auto in = random_tensors(source.input_sizes(small->extents), rng);
      const auto should = run_graph(source.graph(ctx, small->extents), in), is = run_graph(lower(ctx, g), in);
      const bool right = difference(is[0], should[0]) < 1e-9;
      MuVerifyOptions options;
      options.floats = false;
      options.log2_error = -2;
      const MuVerdict v = verify_mugraph(g, source, options);
      (right ? equal : different)++;
      EXPECT_EQ(v.verdict.kind == verify::VerdictKind::kRefuted, !right)
          << verify::summary(v.verdict) << print(g);
    }
  }
  EXPECT_GT(equal, 2);
  EXPECT_GT(different, 4);
}

}  // namespace
}  // namespace isomer::mugraph
