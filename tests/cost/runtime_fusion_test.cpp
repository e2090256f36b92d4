// What a runtime computes together with a neighbour, seen from the questions that costs are asked by.
#include "cost/runtime_fusion.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::cost {
namespace {

/// Whether the normalisation of the graph is asked for together with the sum before it.
bool asks_with_sum(const char* text) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, text);
  bool found = false;
  for_each_query(graph, [&](ir::ValueId v, const NodeCostQuery& query) {
    if (graph.def(v).name == "layer_norm") found = takes_sum(query);
  });
  return found;
}

TEST(RuntimeFusion, ANormalisationTakesTheSumBeforeIt) {
  EXPECT_TRUE(asks_with_sum(R"(graph g {
    %0 = input{name="x"} : f32[1,4,8]
    %1 = input{name="y"} : f32[1,4,8]
    %2 = weight{name="g"} : f32[8]
    %3 = add(%0, %1) : f32[1,4,8]
    %4 = layer_norm{axis=2, epsilon=0.5}(%3, %2) : f32[1,4,8]
    return %4
  })"));
}

TEST(RuntimeFusion, NotASumThatGoesOn) {
  EXPECT_FALSE(asks_with_sum(R"(graph g {
    %0 = input{name="x"} : f32[1,4,8]
    %1 = input{name="y"} : f32[1,4,8]
    %2 = weight{name="g"} : f32[8]
    %3 = add(%0, %1) : f32[1,4,8]
    %4 = layer_norm{axis=2, epsilon=0.5}(%3, %2) : f32[1,4,8]
    %5 = add(%3, %4) : f32[1,4,8]
    return %5
  })"));
}

TEST(RuntimeFusion, NotABiasNorTwoDimensions) {
  EXPECT_FALSE(asks_with_sum(R"(graph g {
    %0 = input{name="x"} : f32[1,4,8]
    %1 = weight{name="y"} : f32[1,4,8]
    %2 = weight{name="g"} : f32[8]
    %3 = add(%0, %1) : f32[1,4,8]
    %4 = layer_norm{axis=2, epsilon=0.5}(%3, %2) : f32[1,4,8]
    return %4
  })"));
  EXPECT_FALSE(asks_with_sum(R"(graph g {
    %0 = input{name="x"} : f32[4,8]
    %1 = input{name="y"} : f32[4,8]
    %2 = weight{name="g"} : f32[8]
    %3 = add(%0, %1) : f32[4,8]
    %4 = layer_norm{axis=1, epsilon=0.5}(%3, %2) : f32[4,8]
    return %4
  })"));
}

constexpr const char* kStages = R"(graph g {
  %0 = input{name="x"} : f32[1,8,6,6]
  %1 = weight{name="w"} : f32[8,8,3,3]
  %2 = conv{strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1}(%0, %1) : f32[1,8,6,6]
  %3 = relu(%2) : f32[1,8,6,6]
  %4 = weight{name="b"} : f32[1,8,1,1]
  %5 = broadcast{shape=[1,8,6,6]}(%4) : f32[1,8,6,6]
  %6 = add(%3, %5) : f32[1,8,6,6]
  %7 = weight{name="y"} : f32[1,8,6,6]
  %8 = conv{strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1}(%7, %1) : f32[1,8,6,6]
  %9 = add(%6, %8) : f32[1,8,6,6]
  return %9
})";

TEST(RuntimeFusion, AWeightThatIsFoldedIsNoConvolution) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kStages);
  std::vector<bool> absorbed(graph.size());
  for_each_query(
      graph, [&](ir::ValueId v, const NodeCostQuery& query) { absorbed[v.index()] = is_absorbed(query); });
  EXPECT_TRUE(absorbed[3]);
  EXPECT_FALSE(absorbed[9]);
}

/// Whether a convolution of so many channels takes in the operator after it, whose weight has that shape.
bool takes_in(const char* op, const std::string& channels, const std::string& weight) {
  std::string text = R"(graph g {
    %0 = input{name="x"} : f32[1,C,8,8]
    %1 = weight{name="w"} : f32[C,C,1,1]
    %2 = conv{strides=[1,1], pads=[0,0,0,0], dilations=[1,1], group=1}(%0, %1) : f32[1,C,8,8]
    %3 = weight{name="b"} : f32W
    %4 = broadcast{shape=[1,C,8,8]}(%3) : f32[1,C,8,8]
    %5 = OP(%2, %4) : f32[1,C,8,8]
    return %5
  })";
  const auto put = [&](std::string_view what, std::string_view by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
      text.replace(at, what.size(), by);
  };
  put("C", channels);
  put("W", weight);
  put("OP", op);
  ir::Context ctx(ir::standard_ops());
  bool found = false;
  for_each_query(ir::parse_graph(ctx, text), [&](ir::ValueId, const NodeCostQuery& query) {
    if (query.op.op.name == op) found = is_absorbed(query);
  });
  return found;
}

TEST(RuntimeFusion, AConvolutionTakesANumberForEachChannel) {
  for (const char* op : {"add", "sub", "mul"}) {
    EXPECT_TRUE(takes_in(op, "8", "[1,8,1,1]")) << op;
    EXPECT_TRUE(takes_in(op, "8", "[8,1,1]")) << op;
    EXPECT_TRUE(takes_in(op, "1", "[1,1,1]")) << op;
    // As many numbers, by column or row; and others.
    for (const char* weight : {"[8]", "[1,1,1,8]", "[1,1,8,1]", "[8,1]", "[8,8,8]", "[1]", "[1,1,1,1]"})
      EXPECT_FALSE(takes_in(op, "8", weight)) << op << weight;
    for (const char* weight : {"[1]", "[1,1]", "[8]"})
      EXPECT_FALSE(takes_in(op, "1", weight)) << op << weight;
  }
  EXPECT_TRUE(takes_in("mul", "8", "[]"));
  EXPECT_FALSE(takes_in("add", "8", "[]"));
}

// Searches that price e-nodes one by one know no more of an operand (problems/build_egraph.h).
TEST(RuntimeFusion, AnalyticCostsSeeOfAnOperandOnlyWhetherItIsAWeight) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kStages);
  for (const char* name : {"roofline:a100", "roofline:cpu+c8", "anchor", "ast-size"}) {
    const auto model = make_cost_model(name);
    size_t with_more = 0;
    for_each_query(graph, [&](ir::ValueId v, const NodeCostQuery& query) {
      std::vector<OperandFacts> less(query.operands.size());
      for (size_t i = 0; i < less.size(); ++i) less[i].weight = query.operands[i].weight;
      with_more += !std::ranges::equal(less, query.operands);
      EXPECT_EQ(model->cost({query.op, query.operands_are_weights, less}), model->cost(query))
          << name << " %" << v.v;
    });
    EXPECT_GE(with_more, 3u);
  }
}

}  // namespace
}  // namespace isomer::cost
