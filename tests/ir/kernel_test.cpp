// Kernels as operators: their textual form, their types, and bodies that are refused.
#include "ir/kernel.h"

#include <gtest/gtest.h>

#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

/// x w, by two blocks along the columns of w and three iterations along the inner dimension.
const std::string kMatmul = R"(graph {
  %0 = input{name="x"} : f16[4,6]
  %1 = input{name="w"} : f16[6,8]
  %2 = kernel{body={
    %0 = input{name="t0"} : f16[4,2]
    %1 = input{name="t1"} : f16[2,4]
    %2 = matmul(%0, %1) : f16[4,4]
    %3 = accum.add(%2) : f16[4,4]
    return %3
  }, grid=[2,1,1], loops=[3], imap=[-1,-1,-1,1,-1,-1], fmap=[1,0], omap=[1,-1,-1]}(%0, %1) : f16[4,8]
  return %2
}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  Context ctx(standard_ops());
  try {
    parse_graph(ctx, text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Kernels, PrintAndParse) {
  Context ctx(standard_ops());
  const Graph graph = parse_graph(ctx, kMatmul);
  EXPECT_EQ(print(graph), kMatmul);
  Context other(standard_ops());
  const Graph again = parse_graph(other, print(graph));
  EXPECT_EQ(dag_hash(graph), dag_hash(again));
  const Graph in_blocks_of_64 = parse_graph(other, with(kMatmul, "loops=[3]", "threads=[64,1,1], loops=[3]"));
  EXPECT_NE(dag_hash(graph), dag_hash(in_blocks_of_64));
}

TEST(Kernels, TheirHashDoesNotDependOnTheNumbersOfValues) {
  Context ctx(standard_ops());
  const std::string body = R"(graph { %x = input{name="x"} : f32[4,4]
    %k = kernel{body={ %a = input{name="a"} : f32[4,4]
      @ return %s }, imap=[-1,-1,-1], fmap=[-1], omap=[-1,-1,-1]}(%x) : f32[4,4] return %k })";
  const std::string e = "%e = exp(%a) : f32[4,4] ", r = "%r = relu(%a) : f32[4,4] ",
                    m = "%m = mul(%e, %r) : f32[4,4] %s = accum.add(%m) : f32[4,4]";
  const auto hash = [&](const std::string& in) { return dag_hash(parse_graph(ctx, with(body, "@", in))); };
  EXPECT_EQ(hash(e + r + m), hash(r + e + m));
  EXPECT_NE(hash(e + r + m), hash(e + r + with(m, "mul(%e, %r)", "mul(%r, %e)")));
}

TEST(Kernels, AreRefusedWithWhatWasExpected) {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& why) {
    const std::string error = error_of(with(kMatmul, from, to));
    EXPECT_NE(error.find(why), std::string::npos) << error;
  };
  refused("grid=[2,1,1]", "grid=[3,1,1]", "input 1: the grid cuts dimension 1 of [6,8] into 3 uneven parts");
  refused("grid=[2,1,1]", "grid=[2,1]", "expected 3 entries in grid, got 2");
  refused("grid=[2,1,1]", "grid=[2,0,1]", "expected grid from 1 on, got 0");
  refused("fmap=[1,0]", "fmap=[1]", "expected 2 entries in fmap, got 1");
  refused("omap=[1,-1,-1]", "omap=[-1,-1,-1]", "what runs along x writes the same elements of an output");
  refused("omap=[1,-1,-1]", "omap=[2,-1,-1]", "omap names dimension 2 of a tile [4,4]");
  refused("%3 = accum.add(%2) : f16[4,4]\n    return %3", "return %2",
          "output 0: no accumulator on the path to it");
  refused("%3 = accum.add(%2)", "%3 = accum.rescale(%2, %4)", "value %4 is not defined above");
  refused("%2 = matmul(%0, %1)", "%2 = tanh(%1)", "tanh gives f16[2,4]");
  refused("t0\"} : f16[4,2]", "t0\"} : f16[4,2] %9 = erf(%0) : f16[4,2]", "(erf): no operator of a block");
  refused("%3 = accum.add(%2) : f16[4,4]", "%9 = accum.add(%2) : f16[4,4] %3 = accum.add(%9) : f16[4,4]",
          "a second accumulator on one path");
  refused("%3 = accum.add(%2) : f16[4,4]", "%9 = accum.add(%2) : f16[4,4] %3 = add(%9, %2) : f16[4,4]",
          "operands from inside and from after the loop");
  refused("%3 = accum.add(%2) : f16[4,4]", "%3 = accum.mean{iterations=2}(%2) : f16[4,1]",
          "expected 3 iterations, got 2");
  refused("%3 = accum.add(%2) : f16[4,4]", "%3 = accum.mean{iterations=0}(%2) : f16[4,1]",
          "expected iterations from 1 on, got 0");
  refused("loops=[3]", "threads=[0,1,1], loops=[3]", "expected threads from 1 on, got 0");
}

// What a block multiplies is one pair of matrices.
TEST(Kernels, ABlockHasNoBatches) {
  const std::string text = R"(graph { %x = input{name="x"} : f32[2,4,4]
    %k = kernel{body={ %a = input{name="a"} : f32[2,4,4] %m = matmul(%a, %a) : f32[2,4,4]
      %s = accum.add(%m) : f32[2,4,4] return %s }, imap=[-1,-1,-1], fmap=[-1], omap=[-1,-1,-1]}(%x)
      : f32[2,4,4] return %k })";
  EXPECT_NE(error_of(text).find("expected batch dimensions of 1 in a block, got [2,4,4]"), std::string::npos)
      << error_of(text);
}

TEST(Kernels, OperatorsSayWhereTheyStand) {
  const auto levels = [](const char* name) { return standard_ops().get(standard_ops().at(name)).levels; };
  EXPECT_EQ(levels("add"), kAllLevels);
  EXPECT_EQ(levels("softmax"), kGraphLevel);
  EXPECT_EQ(levels("kernel"), kGraphLevel | kKernelLevel);
  EXPECT_EQ(levels("threads"), kBlockLevel);
  EXPECT_EQ(levels("accum.add"), kBlockLevel | kThreadLevel);
  EXPECT_EQ(levels("accum.rescale"), kBlockLevel);
  EXPECT_EQ(levels("mirage.conv"), kKernelLevel);
}

}  // namespace
}  // namespace isomer::ir
