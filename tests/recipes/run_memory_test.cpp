#include "recipes/run_memory.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

RunMemory memory_of(const char* text, const cost::SymbolSizes& sizes = {}) {
  ir::Context ctx(ir::standard_ops());
  return memory_of_run(ir::parse_graph(ctx, text, "test"), sizes);
}

TEST(RunMemory, WeightsAreAlsoWhatOperatorsMakeOfConstants) {
  const RunMemory seen = memory_of(R"(graph g {
    %0 = input{name="x"} : f32[4,8]
    %1 = constant : f32[] {0.5}
    %2 = broadcast{shape=[8,16]}(%1) : f32[8,16]
    %3 = matmul(%0, %2) : f32[4,16]
    return %3
  })");
  EXPECT_EQ(seen.weight_bytes, 4U * 8 * 16);
  EXPECT_EQ(seen.computed_bytes, 4U * (4 * 8 + 4 * 16));
}

TEST(RunMemory, WhatAnElementwiseOperatorSpreadsIsNotThereAsAWhole) {
  const RunMemory seen = memory_of(R"(graph g {
    %0 = input{name="x"} : f32[4,8]
    %1 = constant : f32[] {0.5}
    %2 = broadcast{shape=[4,8]}(%1) : f32[4,8]
    %3 = mul(%0, %2) : f32[4,8]
    return %3
  })");
  EXPECT_EQ(seen.weight_bytes, 4U);
}

TEST(RunMemory, NeededAtOneTimeIsWhatIsStillRead) {
  // A chain needs two at a time, however long; at sizes that symbols have.
  const RunMemory seen = memory_of(R"(graph g {
    %0 = input{name="x"} : f32[n,8]
    %1 = relu(%0) : f32[n,8]
    %2 = sigmoid(%1) : f32[n,8]
    %3 = tanh(%2) : f32[n,8]
    return %3
  })",
                                   {{"n", 32}});
  EXPECT_EQ(seen.computed_bytes, 2U * 4 * 32 * 8);
  EXPECT_EQ(seen.weight_bytes, 0U);
}

}  // namespace
}  // namespace isomer::recipes
