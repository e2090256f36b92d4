// Repeated blocks: found exactly, and put back so that the program computes what it did.
#include "recipes/repeated_blocks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/taso_language.h"
#include "recipes/tensat.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

using ir::ValueId;

const std::string kTree = ISOMER_SOURCE_DIR;

/// A first layer, `layers` of two products of the same value (one of them multiplied once more) with
/// their sum passed on, and a last one. Layer
/// `odd` has another activation. One product of each layer is an output too; a mask lies beside.
ir::Graph network(ir::Context& ctx, int layers, int odd = -1, bool tied = false) {
  ir::Builder b(ctx, "network");
  const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape({4, 8}));
  const ir::TypeId square = ctx.tensor_type(ir::DType::kF32, ir::static_shape({8, 8}));
  int weights = 0;
  const auto weight = [&] {
    return b.add("weight", {}, {{"name", fmt::format("w{}", weights++)}, {"type", int64_t{square.v}}});
  };
  const auto product = [&](ValueId x, ValueId w) {
    return b.add("taso.matmul", {x, w}, {{"act", int64_t{0}}});
  };
  const ValueId mask = b.add("relu", {b.input("mask", type)});
  std::vector<ValueId> outputs;
  ValueId x = b.add("tanh", {b.input("x", type)});
  for (int layer = 0; layer < layers; ++layer) {
    const ValueId first = weight();
    const ValueId p = product(x, first), r = product(x, tied && layer == 1 ? first : weight()),
                  q = product(r, weight());
    const ValueId sum = b.add("add", {b.add(layer == odd ? "tanh" : "relu", {p}), q});
    outputs.push_back(q);
    x = b.add("mul", {b.add("add", {sum, x}), mask});
  }
  outputs.push_back(b.add("sigmoid", {x}));
  return b.finish(std::move(outputs));
}

TEST(RepeatedBlocks, AreFoundWithTheirWeights) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g = weights_as_leaves(network(ctx, 4));
  const auto blocks = find_repeated_blocks(g);
  ASSERT_TRUE(blocks);
  ASSERT_EQ(blocks->copies.size(), 4u);
  for (size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(blocks->copies[c].values.size(), 7u);
    EXPECT_EQ(blocks->copies[c].weights.size(), 3u);
    EXPECT_EQ(blocks->copies[c].results.size(), 1u);
    if (c > 0) {
      EXPECT_EQ(blocks->copies[c].in, blocks->copies[c - 1].out);
    }
  }
  EXPECT_EQ(blocks->beside.size(), 1u);
  EXPECT_FALSE(find_repeated_blocks(weights_as_leaves(network(ctx, 1))));
}

TEST(RepeatedBlocks, WhatDiffersInsideIsNoCopy) {
  ir::Context ctx(ir::standard_ops());
  const auto odd = find_repeated_blocks(weights_as_leaves(network(ctx, 5, 1)));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->copies.size(), 3u);
  const auto tied = find_repeated_blocks(weights_as_leaves(network(ctx, 5, -1, true)));
  ASSERT_TRUE(tied);
  EXPECT_EQ(tied->copies.size(), 3u);  // a weight that is used twice is not two weights
}

TEST(RepeatedBlocks, APutBackBlockComputesTheSameAndAWrongOneDoesNot) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g = weights_as_leaves(network(ctx, 3));
  auto blocks = find_repeated_blocks(g);
  ASSERT_TRUE(blocks);
  const ir::Graph block = block_program(g, *blocks, blocks->copies[0]);
  const ir::Graph same = with_blocks(g, *blocks, block);
  EXPECT_EQ(same.size(), g.size());
  EXPECT_EQ(verify::check_equivalent(g, same).kind, verify::VerdictKind::kProved);
  std::swap(blocks->copies[1].weights[0], blocks->copies[1].weights[1]);
  EXPECT_EQ(verify::check_equivalent(g, with_blocks(g, *blocks, block)).kind, verify::VerdictKind::kRefuted);
}

TEST(RepeatedBlocks, OneIsSearchedAndAllBecomeCheaper) {
  ir::Context ctx(ir::standard_ops());
  const rewrite::RuleSet rules = tensat_rules(ctx.ops(), kTree + "/rules", GroupedConvolutions::kAsTensat);
  MctsRunOptions o = mcts_plus();
  o.search.budget = 8;
  const ir::Graph small = network(ctx, 3);
  const BlockSearchResult found = run_mcts_by_blocks(small, rules, o);
  EXPECT_EQ(found.copies, 3u);
  EXPECT_LT(found.run.cost, found.run.start_cost);
  EXPECT_EQ(verify::check_equivalent(weights_as_leaves(small), found.run.graph).kind,
            verify::VerdictKind::kProved);

  // A part is searched as a program of its own: regions are of the whole one.
  MctsRunOptions parted = o;
  parted.regions = 3;
  const BlockSearchResult same = run_mcts_by_blocks(small, rules, parted);
  EXPECT_EQ(same.run.cost, found.run.cost);
  EXPECT_EQ(same.run.actions, found.run.actions);
  EXPECT_EQ(same.applied, found.applied);

  const ir::Graph bert = formats::read_sexpr_file(ctx, kTree + "/tests/data/tensat/models/dag/bert.dag");
  std::vector<size_t> shown;  // pictures are of the whole program, not of a part
  MctsRunOptions watched = o;
  watched.watch = [&](const rewrite::TensorEGraph& seen, std::span<const egraph::NodeId> picked) {
    EXPECT_FALSE(picked.empty());
    shown.push_back(seen.source_nodes());
  };
  const BlockSearchResult by_blocks = run_mcts_by_blocks(bert, rules, watched);
  ASSERT_GE(shown.size(), 2u);
  EXPECT_EQ(shown[0], rewrite::TensorEGraph(weights_as_leaves(bert)).source_nodes());
  EXPECT_GT(2 * shown.back(), shown[0]);
  const MctsRunResult whole = run_mcts(bert, rules, o);
  EXPECT_GT(by_blocks.copies, 1u);
  EXPECT_LT(by_blocks.run.cost, by_blocks.run.start_cost);
  EXPECT_GE(by_blocks.run.cost, whole.cost * (1 - 1e-9));
  EXPECT_LT(by_blocks.run.nodes, whole.nodes);
}

}  // namespace
}  // namespace isomer::recipes
