// What is no loop program is told apart.
#include "codegen/check.h"

#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// y[i, j] = exp(x[i, j]), of 3 by 4.
LoopProgram exponentials() {
  ir::Context ctx(ir::standard_ops());
  return lower(ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[3,4]
    %y = exp(%x) : f32[3,4]
    return %y })"));
}
Loop& outer(LoopProgram& p) { return std::get<Loop>(p.body[0].node); }
Loop& inner(LoopProgram& p) { return std::get<Loop>(outer(p).body[0].node); }
Store& store(LoopProgram& p) { return std::get<Store>(inner(p).body[0].node); }

TEST(Check, LoweredProgramsAreRight) {
  EXPECT_EQ(check(exponentials()), "");
  LoopProgram p = exponentials();
  outer(p).kind = LoopKind::kParallel;
  inner(p).kind = LoopKind::kVector;
  EXPECT_EQ(check(p), "");
}

TEST(Check, NamesWhatIsWrong) {
  LoopProgram p = exponentials();
  store(p).target.index[1] = IndexExpr::var(7);
  EXPECT_EQ(check(p), "variable 7 out of its loop");
  p = exponentials();
  store(p).target.index.pop_back();
  EXPECT_EQ(check(p), "y0: 1 indices of 2 dimensions");
  p = exponentials();
  store(p).target.buffer = p.inputs[0];
  EXPECT_EQ(check(p), "a store to input");
  p = exponentials();
  inner(p).variable = outer(p).variable;
  EXPECT_EQ(check(p), "a loop of i within a loop of it");
  p = exponentials();
  outer(p).kind = LoopKind::kVector;
  EXPECT_EQ(check(p), "a vector loop that holds a loop");
  p = exponentials();
  store(p).reads.clear();
  EXPECT_EQ(check(p), "a value of no read");
}

TEST(Check, IterationsThatMeetAreNotParallel) {
  LoopProgram p = exponentials();
  outer(p).kind = LoopKind::kParallel;
  store(p).target.index[0] = 0;  // all rows into one
  EXPECT_EQ(check(p), "iterations of the parallel loop of i may touch one element");
  store(p).target.index[0] = IndexExpr::var(outer(p).variable).floor_div(2);
  EXPECT_EQ(check(p), "iterations of the parallel loop of i may touch one element");
}

}  // namespace
}  // namespace isomer::codegen
