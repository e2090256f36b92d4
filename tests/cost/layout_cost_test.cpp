#include "cost/layout_cost.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::cost {
namespace {

struct Priced {
  ir::Context ctx{ir::standard_ops()};
  double operator()(const std::string& model, const std::string& text) {
    return graph_cost(*make_cost_model(model), ir::parse_graph(ctx, text));
  }
};

constexpr const char* kUsual = R"(graph g {
  %0 = input{name="x"} : f32[1,64,56,56]
  %1 = weight{name="w"} : f32[64,64,3,3]
  %2 = taso.conv2d{stride_h=1, stride_w=1, padding=0, act=2}(%0, %1) : f32[1,64,56,56]
  %3 = taso.conv2d{stride_h=1, stride_w=1, padding=0, act=2}(%2, %1) : f32[1,64,56,56]
  return %3
})";
constexpr const char* kBetween = R"(graph g {
  %0 = input{name="x"} : f32[1,64,56,56]
  %1 = weight{name="w"} : f32[64,64,3,3]
  %2 = layout.to{block=0}(%0) : f32[1,56,56,64]
  %3 = layout.taso.conv2d{stride_h=1, stride_w=1, padding=0, act=2, block=0}(%2, %1) : f32[1,56,56,64]
  %4 = layout.taso.conv2d{stride_h=1, stride_w=1, padding=0, act=2, block=0}(%3, %1) : f32[1,56,56,64]
  %5 = layout.from{block=0}(%4) : f32[1,64,56,56]
  return %5
})";

TEST(LayoutCost, AnImageInAnotherLayoutIsConvertedAtEachKernel) {
  Priced price;
  const double conversion = price("roofline:a100", R"(graph g {
    %0 = input{name="x"} : f32[1,64,56,56]
    %1 = layout.to{block=0}(%0) : f32[1,56,56,64]
    return %1
  })");
  ASSERT_GT(conversion, 0);
  const double plain = price("roofline:a100", kUsual);
  EXPECT_NEAR(price("roofline:a100+nhwc", kUsual), plain + 4 * conversion, 1e-12);
  EXPECT_NEAR(price("roofline:a100+nhwc", kBetween), plain + 2 * conversion, 1e-12);
  // Where blocks are native, channels last need the same conversions as the usual order, and two of its own.
  EXPECT_NEAR(price("roofline:a100+c8", kBetween), plain + 6 * conversion, 1e-9);
}

TEST(LayoutCost, AForkSaysTheSameOfACloneOfTheContext) {
  for (const char* name : {"roofline:a100+nhwc", "roofline:cpu+c8", "roofline:p100", "anchor", "ast-size"}) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, kUsual);
    const auto model = make_cost_model(name);
    const double cost = graph_cost(*model, graph);
    const auto clone = ctx.branch();
    // Ids that the contexts give out from here on mean different things in them.
    ctx.tensor_type(ir::DType::kF32, {ir::Dim(3)});
    clone->tensor_type(ir::DType::kF32, {ir::Dim(5)});
    const auto fork = model->fork();
    ASSERT_NE(fork, nullptr) << name;
    EXPECT_EQ(fork->name(), model->name());
    EXPECT_EQ(graph_cost(*fork, graph.over(*clone)), cost) << name;
    EXPECT_EQ(graph_cost(*fork, ir::parse_graph(*clone, kUsual)), cost) << name;
    EXPECT_EQ(graph_cost(*model, graph), cost) << name;
  }
}

TEST(LayoutCost, ChannelsThatDoNotDivideAreNotConverted) {
  Priced price;
  const char* three = R"(graph g {
    %0 = input{name="x"} : f32[1,3,8,8]
    %1 = taso.poolmax{kernel_h=2, kernel_w=2, stride_h=2, stride_w=2, padding=0, act=0}(%0) : f32[1,3,4,4]
    return %1
  })";
  EXPECT_EQ(price("roofline:cpu+c8", three), price("roofline:cpu", three));
  EXPECT_GT(price("roofline:cpu+nhwc", three), price("roofline:cpu", three));
}

TEST(LayoutCost, WhatHasALayoutIsWindowed) {
  const ir::OpTable& ops = ir::standard_ops();
  size_t seen = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::string& name = ops.get(ir::OpId(i)).name;
    if (!name.starts_with("layout.") || name == "layout.to" || name == "layout.from") continue;
    ++seen;
    EXPECT_TRUE(ops.get(ops.at(name.substr(7))).windowed) << name;
  }
  EXPECT_EQ(seen, 6u);
}

TEST(LayoutCost, NamesAreChecked) {
  EXPECT_EQ(make_cost_model("roofline:t4+c8")->name(), "roofline:t4+c8");
  EXPECT_THROW(make_cost_model("roofline:t4+nchw"), UsageError);
  EXPECT_THROW(make_cost_model("roofline:none+c8"), UsageError);
}

}  // namespace
}  // namespace isomer::cost
