#include "cost/sized.h"

#include <gtest/gtest.h>

#include "cost/roofline.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::cost {
namespace {

constexpr const char* kSymbolic = R"(graph {
  %x = input{name="x"} : f32[batch,seq,64]
  %w = weight{name="w"} : f32[64,256]
  %b = weight{name="b"} : f32[256]
  %m = matmul(%x, %w) : f32[batch,seq,256]
  %s = broadcast{shape=[batch,seq,256]}(%b) : f32[batch,seq,256]
  %a = add(%m, %s) : f32[batch,seq,256]
  %r = softmax{axis=2}(%a) : f32[batch,seq,256]
  return %r })";
constexpr const char* kStatic = R"(graph {
  %x = input{name="x"} : f32[2,48,64]
  %w = weight{name="w"} : f32[64,256]
  %b = weight{name="b"} : f32[256]
  %m = matmul(%x, %w) : f32[2,48,256]
  %s = broadcast{shape=[2,48,256]}(%b) : f32[2,48,256]
  %a = add(%m, %s) : f32[2,48,256]
  %r = softmax{axis=2}(%a) : f32[2,48,256]
  return %r })";

class Sized : public testing::Test {
 protected:
  ir::Context ctx_{ir::standard_ops()};
  const ir::Graph symbolic_ = ir::parse_graph(ctx_, kSymbolic), static_ = ir::parse_graph(ctx_, kStatic);
};

TEST_F(Sized, EachNodeCostsWhatItDoesAtThoseSizes) {
  SizedCost sized(make_cost_model("roofline:cpu"), {{"batch", 2}, {"seq", 48}});
  const auto plain = make_cost_model("roofline:cpu");
  EXPECT_EQ(node_costs(sized, symbolic_), node_costs(*plain, static_));
  EXPECT_NE(node_costs(*plain, symbolic_), node_costs(*plain, static_));
  EXPECT_EQ(sized.name(), "roofline:cpu");
}

TEST_F(Sized, AForkSaysTheSame) {
  SizedCost sized(make_cost_model("roofline:cpu"), {{"batch", 2}, {"seq", 48}});
  const double cost = graph_cost(sized, symbolic_);
  const auto fork = sized.fork();
  ASSERT_NE(fork, nullptr);
  ir::Context other(ir::standard_ops());
  EXPECT_EQ(graph_cost(*fork, ir::parse_graph(other, kSymbolic)), cost);
}

TEST_F(Sized, QuestionsHaveNumbersInAllTypes) {
  SizedQueries queries({{"batch", 2}, {"seq", 48}});
  for_each_query(symbolic_, [&](ir::ValueId, const NodeCostQuery& query) {
    const NodeCostQuery sized = queries.sized(query);
    EXPECT_TRUE(sized.op.out_type().is_static_tensor());
    for (ir::TypeId input : sized.op.inputs) EXPECT_TRUE(ctx_.get(input).is_static_tensor());
    for (const OperandFacts& operand : sized.operands)
      EXPECT_TRUE(!operand.narrow.valid() || ctx_.get(operand.narrow).is_static_tensor());
  });
}

TEST_F(Sized, WhatHasNoSizeStaysAndStaticQuestionsAreThemselves) {
  SizedQueries queries({{"batch", 2}});
  bool symbolic = false;
  for_each_query(symbolic_, [&](ir::ValueId, const NodeCostQuery& query) {
    if (query.op.op.name != "matmul") return;
    const ir::Type& type = queries.sized(query).op.out_type();
    EXPECT_EQ(type.shape[0], ir::Dim(2));
    symbolic = type.shape[1].is_symbol();
  });
  EXPECT_TRUE(symbolic);
  for_each_query(static_, [&](ir::ValueId, const NodeCostQuery& query) {
    EXPECT_EQ(&queries.sized(query).op, &query.op);
  });
}

}  // namespace
}  // namespace isomer::cost
