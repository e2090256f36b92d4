// Folding against a deadline, and within a memory limit.
#include <gtest/gtest.h>

#include "eval/fold.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/deadline.h"

namespace isomer::eval_test {
namespace {

/// A second goes by whenever somebody looks.
class LookedAtClock final : public Clock {
 public:
  double seconds() const override { return looks_++; }

 private:
  mutable double looks_ = 0;
};

/// One operator that takes the clock's time to fold: it is looked at again and again while it is computed.
void expect_cut_within(const std::string& op) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, "graph {\n" + op + "return %c }");
  eval::FoldOptions options;
  const LookedAtClock clock;
  options.until = Deadline(6, clock);
  const eval::Folded cut = eval::fold(graph, options);
  EXPECT_EQ(cut.stop_reason, StopReason::kTimeLimit) << op;
  EXPECT_TRUE(cut.constants.empty());
  EXPECT_EQ(ir::print(cut.graph), ir::print(graph)) << "as it was";
  EXPECT_EQ(eval::fold(graph).stop_reason, StopReason::kSaturated);
}

TEST(Fold, IsCutWithinAProduct) {
  expect_cut_within(R"(%a = constant : f32[4096,64] <#1>
    %b = constant : f32[64,64] <#2>
    %c = matmul(%a, %b) : f32[4096,64]
    )");
}

TEST(Fold, IsCutWithinALoop) {
  expect_cut_within(R"(%a = constant : f32[512,512] <#1>
    %c = tanh(%a) : f32[512,512]
    )");
}

TEST(Fold, AStopEndsIt) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = constant : f32[2] {1, 2}
    %b = neg(%a) : f32[2]
    return %b })");
  StopToken stop;
  stop.request();
  eval::FoldOptions options;
  options.until = Deadline().with(stop);
  EXPECT_EQ(eval::fold(graph, options).stop_reason, StopReason::kInterrupted);
}

// 8e9 multiply-adds in a hundredth of a second: not even the operands are converted.
TEST(Fold, WhatCannotBeDoneInTimeIsNotBegun) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = constant : f32[2000,1] <#1>
    %b = constant : f32[1,2000] <#2>
    %c = broadcast{shape=[2000,2000]}(%a) : f32[2000,2000]
    %d = broadcast{shape=[2000,2000]}(%b) : f32[2000,2000]
    %e = matmul(%c, %d) : f32[2000,2000]
    return %e })");
  eval::FoldOptions options;
  const ManualClock clock;  // stands still
  options.until = Deadline(0.01, clock);
  const eval::Folded cut = eval::fold(graph, options);
  EXPECT_EQ(cut.stop_reason, StopReason::kTimeLimit);
  EXPECT_TRUE(cut.constants.empty());
}

TEST(Fold, WhatDoesNotFitIntoMemoryStays) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = constant : f32[1200,1000] <#1>
    %b = tanh(%a) : f32[1200,1000] "large"
    %c = constant : f32[2] {1, 2}
    %d = neg(%c) : f32[2] "small"
    return %b, %d })");
  eval::FoldOptions options;
  options.memory_bytes = 1;
  const eval::Folded some = eval::fold(graph, options);
  EXPECT_EQ(some.stop_reason, StopReason::kSaturated);
  EXPECT_NE(ir::print(some.graph).find("tanh"), std::string::npos);
  EXPECT_EQ(ir::print(some.graph).find("neg"), std::string::npos) << "what is small is folded";
}

}  // namespace
}  // namespace isomer::eval_test
