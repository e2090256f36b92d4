// What a runtime computes together with a neighbour, seen from the questions that costs are asked by.
#include "cost/runtime_fusion.h"

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

}  // namespace
}  // namespace isomer::cost
