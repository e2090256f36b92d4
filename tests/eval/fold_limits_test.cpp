// Folding against a deadline, and within a memory limit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eval/fold.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/deadline.h"
#include "support/limits.h"

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

// Moving computes nothing, and yet takes room and time: 4 GB of padding.
TEST(Fold, WhatIsOnlyMovedHasTheSameLimits) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = constant : f32[1,1] {1}
    %b = pad{pads=[0, 0, 32767, 32767], mode="constant", value=0}(%a) : f32[32768,32768]
    %c = reduce_sum{axes=[0, 1], keepdims=0}(%b) : f32[]
    return %c })");
  eval::FoldOptions small;
  small.memory_bytes = 1;
  const eval::Folded kept = eval::fold(graph, small);
  EXPECT_EQ(kept.stop_reason, StopReason::kSaturated);
  EXPECT_NE(ir::print(kept.graph).find("pad"), std::string::npos);
  eval::FoldOptions brief;
  const ManualClock clock;  // stands still
  brief.until = Deadline(1, clock);
  EXPECT_EQ(eval::fold(graph, brief).stop_reason, StopReason::kTimeLimit);
}

// Integers go one by one: 9 million of them take longer than whoever begins foresees.
TEST(Fold, TimeIsLookedAtWhileElementsAreMoved) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = constant : i8[1,1] {1}
    %b = pad{pads=[0, 0, 2999, 2999], mode="constant", value=0}(%a) : i8[3000,3000]
    return %b })");
  eval::FoldOptions options;
  const LookedAtClock clock;
  options.until = Deadline(6, clock);
  EXPECT_EQ(eval::fold(graph, options).stop_reason, StopReason::kTimeLimit);
}

/// The graph with what folds in this room folded.
std::string folded_within(uint64_t bytes, const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  eval::FoldOptions options;
  options.memory_bytes = bytes;
  return ir::print(eval::fold(ir::parse_graph(ctx, text), options).graph);
}

// What has been computed is held as doubles, four times the room of its type.
TEST(Fold, WhatIsMovedAfterItWasComputedTakesTheRoomOfDoubles) {
  const std::string left = folded_within(resident_bytes() + (uint64_t{100} << 20), R"(graph {
    %a = constant : f16[1,1] {1}
    %b = tanh(%a) : f16[1,1]
    %c = pad{pads=[0, 0, 4095, 4095], mode="constant", value=0}(%b) : f16[4096,4096]
    return %c })");
  EXPECT_NE(left.find("pad"), std::string::npos) << left;
}

TEST(Fold, ManySmallOnesAreNotSmall) {
  const auto pad = [](const char* name, int value) {
    return fmt::format(
        "%{0} = pad{{pads=[0, 0, 999, 999], mode=\"constant\", value={1}}}(%a) : f32[1000,1000]\n", name,
        value);
  };
  const std::string left = folded_within(1, "graph {\n%a = constant : f32[1,1] {1}\n" + pad("b", 1) +
                                                pad("c", 2) + pad("d", 3) + "return %b, %c, %d }");
  EXPECT_NE(left.find("pad"), std::string::npos) << left;
}

std::string folded(const std::string& body, bool finite, bool exact) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, "graph {\n" + body + "return %c }");
  eval::FoldOptions options;
  options.finite = finite;
  options.exact = exact;
  return ir::print(eval::fold(graph, options).graph);
}
bool folds(const std::string& body, bool finite, bool exact) {
  return folded(body, finite, exact).find("(") == std::string::npos;
}

TEST(Fold, WhatBecomesInfiniteOrVanishesStays) {
  const auto product = [](const char* dtype, const char* a, const char* b) {
    return std::string("%a = constant : ") + dtype + "[1] {" + a + "}\n%b = constant : " + dtype + "[1] {" +
           b + "}\n%c = mul(%a, %b) : " + dtype + "[1]\n";
  };
  for (const char* big : {"1e25", "1e-25"}) {
    EXPECT_FALSE(folds(product("f32", big, big), true, false)) << big;
    EXPECT_TRUE(folds(product("f32", big, big), false, false)) << big;
  }
  EXPECT_TRUE(folds(product("f32", "1e25", "1e-25"), true, false));
  EXPECT_TRUE(folds(product("f32", "inf", "1"), true, false)) << "it was so before";
  EXPECT_TRUE(folds(product("f32", "0", "1"), true, false));
  EXPECT_FALSE(folds(product("f16", "300", "300"), true, false));
  EXPECT_FALSE(folds(product("f16", "1e-4", "1e-4"), true, false));
  EXPECT_TRUE(folds(product("f16", "300", "200"), true, false));
  EXPECT_FALSE(folds("%a = constant : f32[1] {-1}\n%c = sqrt(%a) : f32[1]\n", true, false));
}

TEST(Fold, ExactlyIsOperatorByOperator) {
  // 1e30 1e30 is infinite in f32, and stays so.
  const std::string twice = R"(%a = constant : f32[1] {1e30}
    %b = mul(%a, %a) : f32[1]
    %d = constant : f32[1] {1e-30}
    %c = mul(%b, %d) : f32[1]
    )";
  EXPECT_NE(folded(twice, false, true).find("{inf}"), std::string::npos);
  EXPECT_EQ(folded(twice, false, false).find("{inf}"), std::string::npos);
  EXPECT_FALSE(folds("%a = constant : f32[1] {1}\n%c = exp(%a) : f32[1]\n", false, true));
  EXPECT_FALSE(folds("%a = constant : f32[2,2] {1,2,3,4}\n%c = matmul(%a, %a) : f32[2,2]\n", false, true));
  EXPECT_TRUE(
      folds("%a = constant : f32[2,1] {1,2}\n%c = transpose{perm=[1, 0]}(%a) : f32[1,2]\n", false, true));
}

}  // namespace
}  // namespace isomer::eval_test
