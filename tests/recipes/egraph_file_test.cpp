// An e-graph that is written and read beside its program is the same e-graph: classes, operators, what may be
// extracted. What a file cannot say is refused.
#include "recipes/egraph_file.h"

#include <gtest/gtest.h>

#include "cost/cost_model.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/rule_choice.h"
#include "rewrite/tensor_extract.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

constexpr const char* kProgram = R"(graph m {
  %0 = input{name="x"} : f32[3,8]
  %1 = weight{name="a"} : f32[8,4]
  %2 = constant : f32[4,2] {1, 2, 3, 4, 5, 6, 7, 8}
  %3 = matmul(%0, %1) : f32[3,4]
  %4 = matmul(%3, %2) : f32[3,2]
  %5 = relu(%4) : f32[3,2]
  %6 = slice{starts=[0], ends=[1], axes=[0], steps=[1]}(%5) : f32[1,2]
  return %5, %6
})";

class EGraphFile : public testing::Test {
 protected:
  EGraphFile() : rules(choose_rules(ctx, {}).rules) {
    rewrite::SaturateOptions options;
    options.limits.iterations = 4;
    options.limits.nodes = 2000;
    rewrite::Saturation(grown, rules).run(options);
    model = cost::make_cost_model("roofline:a100");
    flat = rewrite::flat_problem(grown, *model);
    text = extract::write_egraph_json(serialize(grown, flat));
  }

  ir::Context ctx{ir::standard_ops()};
  ir::Graph graph = ir::parse_graph(ctx, kProgram);
  rewrite::RuleSet rules;
  rewrite::TensorEGraph grown{graph};
  std::unique_ptr<cost::CostModel> model;
  egraph::FlatProblem flat;
  std::string text;
};

TEST_F(EGraphFile, IsTheSameEGraphAgain) {
  const extract::SerializedEGraph file = extract::parse_egraph_json(text);
  rewrite::TensorEGraph again(graph);
  const Rebuilt rebuilt = rebuild(again, file, "file");
  EXPECT_EQ(again.graph().check_invariants(), "");
  ASSERT_EQ(rebuilt.class_of.size(), flat.class_of.size());
  for (size_t c = 0; c < flat.class_of.size(); ++c)
    EXPECT_EQ(again.graph().data(rebuilt.class_of[c]).type, grown.graph().data(flat.class_of[c]).type);
  for (size_t n = 0; n < flat.node_of.size(); ++n) {
    ASSERT_TRUE(rebuilt.node_of[n].valid());
    EXPECT_EQ(again.graph().op(rebuilt.node_of[n]), grown.graph().op(flat.node_of[n]));
    EXPECT_EQ(again.graph().payload(rebuilt.node_of[n]), grown.graph().payload(flat.node_of[n]));
  }
  const egraph::FlatProblem flat_again = rewrite::flat_problem(again, *model);
  EXPECT_EQ(flat_again.problem.nodes(), flat.problem.nodes());
  EXPECT_EQ(extract::extract(flat_again.problem, extract::Extractor::kAuto).dag_cost,
            extract::extract(flat.problem, extract::Extractor::kAuto).dag_cost);
}

TEST_F(EGraphFile, OfAnotherProgramIsRefused) {
  std::string other_text = kProgram;
  other_text.replace(other_text.find("relu"), 4, "tanh");
  const ir::Graph other = ir::parse_graph(ctx, other_text);
  rewrite::TensorEGraph again(other);
  EXPECT_THROW(rebuild(again, extract::parse_egraph_json(text), "file"), InputError);
}

TEST_F(EGraphFile, WhatIsNoEGraphOfThisProgramIsRefused) {
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    rewrite::TensorEGraph again(graph);
    EXPECT_THROW(rebuild(again, extract::parse_egraph_json(changed), "file"), InputError) << to;
  };
  refused("\"program\"", "\"programme\"");
  refused("\"value\": ", "\"value\": 9");
}

}  // namespace
}  // namespace isomer::recipes
