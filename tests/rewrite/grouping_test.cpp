// Groups are found where operators share an operand and do not depend on each other; the rules that state
// them are true; what is extracted with them computes the same.
#include "rewrite/grouping.h"

#include <gtest/gtest.h>

#include "cost/roofline.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "rewrite/rule_check.h"
#include "rewrite/tensor_extract.h"
#include "support/sanitized.h"
#include "verify/equivalence.h"

namespace isomer::rewrite {
namespace {

TEST(Grouping, RulesAreTrue) {
  ir::Context ctx(ir::standard_ops());
  for (size_t kind = 0; kind < kGroupKinds; ++kind)
    for (size_t members : {2, 3}) {
      const Rule rule = group_rule(ctx.ops(), static_cast<GroupKind>(kind), members);
      RuleCheckOptions options;
      options.instances = 2;
      options.attempts = draws(20000);
      const RuleVerdict verdict = check_rule(ctx, rule, options);
      EXPECT_GT(verdict.instances, 0) << rule.name << ": " << verdict.verdict.note;
      EXPECT_LE(verdict.verdict.kind, verify::VerdictKind::kSampled)
          << rule.name << ": " << verify::summary(verdict.verdict);
    }
}

// Eight matrices that each must fit and be constant: conditions hold them one by one, or nothing is ever
// found.
TEST(Grouping, RulesOfManyMembersAreTrue) {
  ir::Context ctx(ir::standard_ops());
  RuleCheckOptions options;
  options.instances = 2;
  const Rule rule = group_rule(ctx.ops(), GroupKind::kJoinColumns, 8);
  const RuleVerdict verdict = check_rule(ctx, rule, options);
  EXPECT_EQ(verdict.instances, 2) << verdict.verdict.note;
  EXPECT_LE(verdict.verdict.kind, verify::VerdictKind::kSampled) << verify::summary(verdict.verdict);
}

std::vector<Group> groups_of(const ir::Graph& graph, GroupKind kind) {
  TensorEGraph program(graph);
  std::vector<Group> out = find_groups(program);
  std::erase_if(out, [&](const Group& g) { return g.kind != kind; });
  return out;
}

// Two steps of a recurrent network: the inputs' products are independent, the states' are not.
constexpr const char* kRecurrent = R"(graph recurrent {
  %0 = input{name="x0"} : f32[1,64]
  %1 = input{name="x1"} : f32[1,64]
  %2 = input{name="x2"} : f32[1,64]
  %3 = input{name="h"} : f32[1,64]
  %4 = weight{name="w"} : f32[64,64]
  %5 = weight{name="u"} : f32[64,64]
  %6 = matmul(%0, %4) : f32[1,64]
  %7 = matmul(%3, %5) : f32[1,64]
  %8 = add(%6, %7) : f32[1,64]
  %9 = tanh(%8) : f32[1,64]
  %10 = matmul(%1, %4) : f32[1,64]
  %11 = matmul(%9, %5) : f32[1,64]
  %12 = add(%10, %11) : f32[1,64]
  %13 = tanh(%12) : f32[1,64]
  %14 = matmul(%2, %4) : f32[1,64]
  %15 = matmul(%13, %5) : f32[1,64]
  %16 = add(%14, %15) : f32[1,64]
  return %16
})";

TEST(Grouping, StacksWhatIsIndependentOnly) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kRecurrent);
  const std::vector<Group> groups = groups_of(graph, GroupKind::kStackRows);
  ASSERT_EQ(groups.size(), 1u);  // the products of states are a chain
  EXPECT_EQ(groups[0].roots.size(), 3u);
}

TEST(Grouping, JoinsConstantKernelsOfOneInputOnly) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,4,8,8]
    %1 = weight{name="a"} : f32[6,4,3,3]
    %2 = weight{name="b"} : f32[2,4,3,3]
    %3 = input{name="c"} : f32[2,4,3,3]
    %4 = conv{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=1}(%0, %1) : f32[1,6,8,8]
    %5 = conv{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=1}(%0, %2) : f32[1,2,8,8]
    %6 = conv{strides=[2,2], dilations=[1,1], pads=[1,1,1,1], group=1}(%0, %2) : f32[1,2,4,4]
    %7 = conv{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=1}(%0, %3) : f32[1,2,8,8]
    return %4, %5, %6, %7
  })");
  const std::vector<Group> groups = groups_of(graph, GroupKind::kJoinKernels);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].roots.size(), 2u);
}

TEST(Grouping, TheExtractedProgramReadsTheWeightOnce) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kRecurrent);
  const RuleSet none;
  TensorEGraph program(graph);
  Saturation saturation(program, none);
  SaturateOptions options;
  options.grouping = true;
  EXPECT_EQ(saturation.run(options).stop_reason, StopReason::kSaturated);
  cost::RooflineCost model({"slow memory", 1e12, 1e9, 1e-6, "made up"});
  const TensorExtraction result = extract(program, saturation.alternatives(), model, {});
  ASSERT_TRUE(result.found);
  EXPECT_LT(result.cost, 0.8 * cost::graph_cost(model, graph));
  const auto used = rules_used(result, saturation);
  ASSERT_EQ(used.size(), 1u);
  EXPECT_EQ(used[0].first, "stack-rows-3");
  EXPECT_TRUE(verify::check_equivalent(graph, result.graph).equivalent());
}

}  // namespace
}  // namespace isomer::rewrite
