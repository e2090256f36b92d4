#include "verify/cut.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/op_table.h"
#include "ir/print.h"
#include "meaning/flatten.h"
#include "verify/degree.h"

namespace isomer::verify {
namespace {

TEST(Cut, KeepsWhatDiffers) {
  ir::Context ctx(ir::standard_ops());
  const auto program = [&](const std::string& last) {
    return ir::parse_graph(
        ctx, R"(graph { %x = input{name="x"} : f32[2] %e = exp(%x) : f32[2] %t = tanh(%e) : f32[2] )" + last +
                 " return %r }");
  };
  const auto cut = cut_shared(program("%r = add(%t, %x) : f32[2]"), program("%r = sub(%x, %t) : f32[2]"));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->first.size(), 3u);
  EXPECT_EQ(cut->second.size(), 3u);
  EXPECT_EQ(cut->first.inputs().size(), 2u);
  // The same input stands for the same term on both sides.
  const auto input_of = [](const ir::Graph& g, size_t operand) {
    return g.name(g.operands(g.outputs()[0])[operand]);
  };
  EXPECT_EQ(input_of(cut->first, 0), input_of(cut->second, 1));
  EXPECT_EQ(input_of(cut->first, 1), input_of(cut->second, 0));
}

TEST(Cut, NothingToCut) {
  ir::Context ctx(ir::standard_ops());
  const auto program = [&](const std::string& op) {
    return ir::parse_graph(
        ctx, "graph { %x = input{name=\"x\"} : f32[2] %r = " + op + "(%x) : f32[2] return %r }");
  };
  EXPECT_FALSE(cut_shared(program("exp"), program("tanh")));
}

TEST(Degree, OfRationalFunctions) {
  ir::Context ctx(ir::standard_ops());
  const auto degree = [&](const std::string& body) {
    return std::exp2(
        analyse(meaning::flatten(ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : f32[3,3] " + body +
                                                          " return %r }"))
                    .graph)
            .log2_degree);
  };
  EXPECT_NEAR(degree("%r = add(%x, %x) : f32[3,3]"), 1, 1e-9);
  EXPECT_NEAR(degree("%r = mul(%x, %x) : f32[3,3]"), 2, 1e-9);
  EXPECT_NEAR(degree("%a = matmul(%x, %x) : f32[3,3] %r = matmul(%a, %x) : f32[3,3]"), 3, 1e-9);
  EXPECT_NEAR(degree("%r = div(%x, %x) : f32[3,3]"), 2, 1e-9);
  // 1/x + 1/y + 1/z: degree 2 above, 3 below.
  EXPECT_NEAR(degree("%a = reciprocal(%x) : f32[3,3] %r = reduce_sum{axes=[0], keepdims=0}(%a) : f32[3]"), 5,
              1e-9);
}

TEST(Degree, KnowsIntegerLeaves) {
  ir::Context ctx(ir::standard_ops());
  const auto integers = [&](const std::string& text) {
    return analyse(meaning::flatten(ir::parse_graph(ctx, text)).graph).integer_leaves;
  };
  EXPECT_FALSE(
      integers(R"(graph { %x = input{name="x"} : f32[2] %i = input{name="unused"} : i64[2] return %x })"));
  EXPECT_TRUE(integers(R"(graph { %i = input{name="i"} : i64[2] return %i })"));
  EXPECT_FALSE(integers(R"(graph { %i = constant : i64[2] {1, 2} return %i })"));
}

}  // namespace
}  // namespace isomer::verify
