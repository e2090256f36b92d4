// What the estimate of loops is to see: the order of what is known to differ by much.
#include "codegen/estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/fuse.h"
#include "codegen/generate.h"
#include "codegen/lower.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::codegen {
namespace {

Estimate of(const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  const ScheduleOptions options = options_for({});
  return estimate(generate(ir::parse_graph(ctx, text), options), options);
}

std::string kernel(int grid, int tile, int loops, int k) {
  return "graph {\n%x = input{name=\"x\"} : f32[2,4096]\n%w = input{name=\"w\"} : f32[4096,6144]\n%k = "
         "kernel{body={\n"
         "%a = input{name=\"a\"} : f32[2," +
         std::to_string(k) + "]\n%b = input{name=\"b\"} : f32[" + std::to_string(k) + "," +
         std::to_string(tile) + "]\n%m = matmul(%a, %b) : f32[2," + std::to_string(tile) +
         "]\n%s = accum.add(%m) : f32[2," + std::to_string(tile) + "]\nreturn %s\n}, grid=[" +
         std::to_string(grid) + ",1,1], loops=[" + std::to_string(loops) +
         "], imap=[-1,-1,-1,1,-1,-1], fmap=[1,0], omap=[1,-1,-1]}(%x, %w) : f32[2,6144]\nreturn %k }";
}

TEST(Estimate, MoreOfTheSameTakesLonger) {
  const auto sum = [](int n) {
    const std::string size = std::to_string(n);
    return of("graph {\n%x = input{name=\"x\"} : f32[" + size + "]\n%y = exp(%x) : f32[" + size +
              "]\nreturn %y }")
        .cycles();
  };
  EXPECT_GT(sum(20000), 5 * sum(2000));
}

TEST(Estimate, AFunctionCostsMoreThanASum) {
  const char* exp = "graph {\n%x = input{name=\"x\"} : f32[4096]\n%y = exp(%x) : f32[4096]\nreturn %y }";
  const char* add = "graph {\n%x = input{name=\"x\"} : f32[4096]\n%y = add(%x, %x) : f32[4096]\nreturn %y }";
  EXPECT_GT(of(exp).arithmetic, 4 * of(add).arithmetic);
}

// Measured: 14 ms against 45. Wide tiles read rows of weights on; narrow ones begin anew at each row.
TEST(Estimate, WideTilesOfWeightsStream) {
  const Estimate wide = of(kernel(16, 384, 256, 16)), narrow = of(kernel(384, 16, 16, 256));
  EXPECT_GT(narrow.memory, 1.5 * wide.memory);
  EXPECT_GT(narrow.cycles(), 1.5 * wide.cycles());
}

/// Of a product with 16 columns of a matrix that has more, as it is lowered: from where they are.
Estimate narrow_columns(const std::string& columns) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram p = inline_movement(lower(ir::parse_graph(
      ctx, "graph {\n%x = input{name=\"x\"} : f32[64,16]\n%w = input{name=\"w\"} : f32[16," + columns +
               "]\n%s = slice{axes=[1], starts=[0], ends=[16], steps=[1]}(%w) : f32[16,16]\n"
               "%y = matmul(%x, %s) : f32[64,16]\nreturn %y }")));
  return estimate(p, options_for({}));
}

// Rows a page apart are at one place of the nearest cache, which holds eight of them there.
TEST(Estimate, RowsThatMeetInACachePutEachOtherOut) {
  EXPECT_GT(narrow_columns("1024").near, 0);
  EXPECT_EQ(narrow_columns("1040").near, 0);
}

// 52 panels against 48, which groups of several need not divide.
TEST(Estimate, MorePanelsTakeLonger) {
  const auto product = [](int columns) {
    return of(fmt::format("graph {{\n%x = input{{name=\"x\"}} : f32[64,32]\n%w = input{{name=\"w\"}} : "
                          "f32[32,{0}]\n%y = matmul(%x, %w) : f32[64,{0}]\nreturn %y }}",
                          columns))
        .arithmetic;
  };
  EXPECT_GT(product(832), product(768));
  EXPECT_LT(product(832), 1.5 * product(768));
}

TEST(Estimate, WhatFitsTheNearestCacheComesFromNowhere) {
  const Estimate e =
      of("graph {\n%x = input{name=\"x\"} : f32[16,16]\n%y = matmul(%x, %x) : f32[16,16]\nreturn %y }");
  EXPECT_EQ(e.near, 0);
  EXPECT_EQ(e.memory, 0);
  EXPECT_GT(e.arithmetic, 16 * 16 * 16 / 16 / 2.0);  // fused sums, two vectors of eight a cycle
}

}  // namespace
}  // namespace isomer::codegen
