// Which of two values is never above the other, seen from how they are computed; and what must not be said.
#include "recipes/orders.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

/// Of two results of x and y, each f32[4]: %a and %b.
bool ordered(const std::string& body) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph =
      ir::parse_graph(ctx, R"(graph { %x = input{name="x"} : f32[4] %y = input{name="y"} : f32[4] )" + body +
                               " return %a, %b }");
  return never_above(graph, graph.outputs()[0], graph.outputs()[1]);
}

TEST(Orders, WhatIsComputedFromTheOther) {
  EXPECT_TRUE(ordered("%a = floor(%x) : f32[4] %b = abs(%x) : f32[4]"));
  EXPECT_TRUE(ordered("%a = min(%x, %y) : f32[4] %m = max(%x, %y) : f32[4] %b = ceil(%m) : f32[4]"));
  EXPECT_TRUE(ordered("%a = floor(%y) : f32[4] %m = max(%x, %y) : f32[4] %b = relu(%m) : f32[4]"));
  EXPECT_TRUE(
      ordered("%f = floor(%x) : f32[4] %a = broadcast{shape=[2,4]}(%f) : f32[2,4] %b = relu(%x) : f32[4]"));
}

TEST(Orders, WhatMayBeEitherIsNotSaid) {
  EXPECT_FALSE(ordered("%a = abs(%x) : f32[4] %b = floor(%x) : f32[4]"));
  EXPECT_FALSE(ordered("%a = ceil(%x) : f32[4] %b = relu(%x) : f32[4]"));
  EXPECT_FALSE(ordered("%a = max(%x, %y) : f32[4] %b = abs(%x) : f32[4]"));
  EXPECT_FALSE(ordered("%a = floor(%x) : f32[4] %b = min(%x, %y) : f32[4]"));
  EXPECT_FALSE(ordered("%a = floor(%x) : f32[4] %b = abs(%y) : f32[4]"));
  EXPECT_FALSE(ordered("%n = neg(%x) : f32[4] %a = floor(%n) : f32[4] %b = relu(%x) : f32[4]"));
}

}  // namespace
}  // namespace isomer::recipes
