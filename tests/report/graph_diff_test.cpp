#include "report/graph_diff.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "report/dot.h"

namespace isomer::report {
namespace {

constexpr const char* kSum = R"(graph a {
  %0 = input{name="x"} : f32[2]
  %1 = relu(%0) : f32[2]
  %2 = add(%1, %0) : f32[2]
  return %2
})";
constexpr const char* kProduct = R"(graph b {
  %0 = input{name="x"} : f32[2]
  %1 = relu(%0) : f32[2]
  %2 = mul(%1, %0) : f32[2]
  return %2
})";

TEST(GraphDiff, FindsTheTermsOfOneSideOnly) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph a = ir::parse_graph(ctx, kSum), b = ir::parse_graph(ctx, kProduct);
  const GraphDiff d = diff(a, b);
  EXPECT_FALSE(d.same);
  EXPECT_EQ(d.common, 2u);
  ASSERT_EQ(d.only_a.size(), 1u);
  ASSERT_EQ(d.only_b.size(), 1u);
  EXPECT_EQ(a.def(d.only_a[0]).name, "add");
  EXPECT_EQ(b.def(d.only_b[0]).name, "mul");
  EXPECT_TRUE(diff(a, a).same);
}

TEST(Dot, NamesOperatorsAndTypes) {
  ir::Context ctx(ir::standard_ops());
  const std::string text = to_dot(ir::parse_graph(ctx, kSum));
  EXPECT_NE(text.find("label=\"relu\""), std::string::npos);
  EXPECT_NE(text.find("f32[2]"), std::string::npos);
  EXPECT_NE(text.find("n1 -> n2"), std::string::npos);
}

}  // namespace
}  // namespace isomer::report
