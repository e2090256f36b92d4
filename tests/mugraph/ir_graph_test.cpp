// muGraphs as graphs of the IR: what comes back is what went in, in memory and through text; the engine
// evaluates them as the muGraph's own run and its lowered form do.
#include "mugraph/ir_graph.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "ir/dag_hash.h"
#include "ir/print.h"
#include "mugraph/interpret.h"
#include "mugraph/lower.h"
#include "mugraph/mirage_json.h"
#include "mugraph/odd_mugraphs.h"
#include "mugraph/random_tensors.h"
#include "mugraph/shrink.h"
#include "mugraph/structural_hash.h"
#include "mugraph/thread_graphs.h"
#include "published/mirage_figures.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

void expect_round_trip(const MuGraph& g) {
  ir::Context ctx(g.ops->declarations());
  const ir::Graph graph = to_graph(ctx, g);
  const MuGraph back = to_mugraph(graph, *g.ops);
  EXPECT_EQ(print(back), print(g));
  EXPECT_EQ(structural_hash(back), structural_hash(g));
  EXPECT_EQ(write_mirage_json({back}), write_mirage_json({g}));
  const std::string text = ir::print(graph);
  ir::Context other(g.ops->declarations());
  const ir::Graph read = ir::parse_graph(other, text);
  EXPECT_EQ(ir::print(read), text);
  EXPECT_EQ(ir::dag_hash(read), ir::dag_hash(graph));
  EXPECT_EQ(print(to_mugraph(read, *g.ops)), print(g));
}

TEST(IrGraphs, EverySavedMuGraphComesBack) {
  size_t tried = 0;
  for (const auto& file : std::filesystem::directory_iterator(ISOMER_SOURCE_DIR "/tests/data/mugraphs")) {
    if (file.path().extension() != ".json") continue;
    const std::vector<MuGraph> graphs = read_mirage_json(file.path());
    for (size_t i = 0; i < graphs.size(); i += 1 + graphs.size() / 8) {
      SCOPED_TRACE(file.path().filename().string() + " " + std::to_string(i));
      expect_round_trip(graphs[i]);
      expect_round_trip(with_thread_graphs(graphs[i]));
      ++tried;
    }
  }
  EXPECT_GT(tried, 50U);
}

TEST(IrGraphs, ThoseOfThePapersAndOddOnesComeBack) {
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    SCOPED_TRACE(p.name);
    expect_round_trip(p.graph);
    expect_round_trip(with_thread_graphs(p.graph));
  }
  for (const auto& cases : {odd::right_ones(), odd::wrong_ones()})
    for (const odd::Case& c : cases) {
      SCOPED_TRACE(c.name);
      expect_round_trip(c.graph);
    }
}

// The names of values are no part of what a muGraph is, and no order in which they can be computed.
TEST(IrGraphs, TheHashDoesNotDependOnTheOrderOfNodes) {
  MuGraph g;
  g.inputs = 2;
  g.values = {{4, 4}, {4, 4}, {}};
  BlockGraph b;
  b.inputs = {{{}, {-1}, {}}, {{}, {-1}, {}}};
  for (auto& i : b.inputs) i.imap.fill(kWhole);
  const auto node = [&](const char* op, std::vector<uint32_t> operands) {
    BlockNode n;
    n.op = g.ops->at(op);
    n.operands = std::move(operands);
    return n;
  };
  b.nodes = {node("exp", {0}), node("relu", {1}), node("mul", {2, 3}), node("accumulate", {4})};
  b.outputs = {{5, {kWhole, kWhole, kWhole}}};
  g.nodes = {{0, -1, std::make_shared<BlockGraph>(b), {0, 1}, {2}}};
  g.outputs = {2};
  ASSERT_EQ(infer_sizes(g), "");
  MuGraph other = g;
  b.nodes = {node("relu", {1}), node("exp", {0}), node("mul", {3, 2}), node("accumulate", {4})};
  other.nodes[0].block = std::make_shared<BlockGraph>(b);
  ASSERT_EQ(infer_sizes(other), "");
  ir::Context ctx(ir::standard_ops());
  EXPECT_EQ(ir::dag_hash(to_graph(ctx, g)), ir::dag_hash(to_graph(ctx, other)));
  b.nodes[2].operands = {2, 3};
  other.nodes[0].block = std::make_shared<BlockGraph>(b);
  ASSERT_EQ(infer_sizes(other), "");
  EXPECT_NE(ir::dag_hash(to_graph(ctx, g)), ir::dag_hash(to_graph(ctx, other)));
}

TEST(IrGraphs, TheEngineEvaluatesThem) {
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    SCOPED_TRACE(p.name);
    const auto small = shrink(p.graph, program(p.program), p.extents, {2, 3, {}});
    if (!small) continue;
    Rng rng(3);
    const MuGraph& g = small->graph;
    const auto in =
        random_tensors({g.values.begin(), g.values.begin() + static_cast<std::ptrdiff_t>(g.inputs)}, rng);
    ir::Context ctx(ir::standard_ops());
    const auto by_definition = run_graph(to_graph(ctx, g), in), lowered = run_graph(lower(ctx, g), in);
    eval::Float64 domain;
    const auto by_schedule = interpret(domain, g, std::span<const FloatTensor>(in));
    for (size_t o = 0; o < lowered.size(); ++o) {
      EXPECT_LT(difference(by_definition[o], lowered[o]), 1e-15);
      EXPECT_LT(difference(by_schedule[o], lowered[o]), 1e-9);
    }
  }
}

TEST(IrGraphs, WhatIsNoMuGraphIsRefused) {
  const auto error = [](const std::string& text) -> std::string {
    ir::Context ctx(ir::standard_ops());
    try {
      to_mugraph(ir::parse_graph(ctx, text));
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error(R"(graph { %x = input{name="x"} : f32[2,3] %y = reduce_sum{axes=[1]}(%x) : f32[2,1]
                     %z = mul(%x, %x) : f32[2,3] %b = broadcast{shape=[2,3]}(%y) : f32[2,3]
                     %q = div(%z, %b) : f32[2,3] return %q })"),
            "accepted");
  EXPECT_EQ(
      error(R"(graph { %x = input{name="x"} : f32[2,3] %y = softmax{axis=1}(%x) : f32[2,3] return %y })"),
      "node %1 (softmax): no operator of muGraphs");
  EXPECT_EQ(
      error(R"(graph { %x = input{name="x"} : f32[2,3] %y = reduce_sum{axes=[1], keepdims=0}(%x) : f32[2]
                     return %y })"),
      "node %1 (reduce_sum): attributes that muGraphs do not have");
  EXPECT_EQ(error(R"(graph { %x = input{name="x"} : f32[2,1] %b = broadcast{shape=[2,3]}(%x) : f32[2,3]
                     %y = exp(%b) : f32[2,3] return %y })"),
            "no muGraph: %1: declared as [2,3], computed as [2,1]");
}

}  // namespace
}  // namespace isomer::mugraph
