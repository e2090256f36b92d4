// Counts that egg 0.11 reaches on the same rules and start graphs (published anchors of this project's
// reference runs): an engine with the same scheduler must saturate at the same live e-nodes and classes.
#include <gtest/gtest.h>

#include "egraph/symbols.h"
#include "egraph/tensat_data.h"

namespace isomer::egraph {
namespace {

struct Anchor {
  const char* model;
  size_t e_nodes;
  size_t e_classes;
  uint64_t iterations;
};

class AnchorCounts : public testing::TestWithParam<Anchor> {};

RunReport saturate(const std::string& model, SchedulerKind kind, uint64_t iterations = 100) {
  SymbolTable symbols;
  const std::vector<Rewrite> rules =
      parse_rules(read_test_file("tensat/rules/single_converted.txt"), symbols, "single_converted.txt");
  EXPECT_EQ(rules.size(), 120u);
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  add_dag(g, parse_dag(read_test_file("tensat/models/dag/" + model + ".dag"), symbols, model));
  RunOptions options;
  options.scheduler.kind = kind;
  options.limits.iterations = iterations;
  const RunReport report = run(g, rules, options);
  EXPECT_EQ(g.check_invariants(), "");
  return report;
}

TEST_P(AnchorCounts, BackoffSaturatesWhereEggDoes) {
  const Anchor& anchor = GetParam();
  const RunReport report = saturate(anchor.model, SchedulerKind::kBackoff);
  EXPECT_EQ(report.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(report.e_nodes, anchor.e_nodes);
  EXPECT_EQ(report.e_classes, anchor.e_classes);
  EXPECT_EQ(report.iterations, anchor.iterations);
}

INSTANTIATE_TEST_SUITE_P(Models, AnchorCounts,
                         testing::Values(Anchor{"bert", 656, 312, 6}, Anchor{"nasrnn", 490, 450, 2},
                                         Anchor{"nasneta", 1280, 1073, 5}, Anchor{"inceptionv3", 482, 420, 5},
                                         Anchor{"mobilenetv2", 2183, 1365, 9}, Anchor{"vgg", 112, 96, 2},
                                         Anchor{"resnet50", 193, 193, 1}, Anchor{"resnext50", 198, 198, 1}),
                         [](const auto& i) { return std::string(i.param.model); });

TEST(AnchorCounts, SimpleSchedulerSaturatesInEggsIterations) {
  const RunReport bert = saturate("bert", SchedulerKind::kSimple);
  EXPECT_EQ(bert.e_nodes, 656u);
  EXPECT_EQ(bert.e_classes, 312u);
  EXPECT_EQ(bert.iterations, 5u);
}

TEST(AnchorCounts, MatmulChainOfTwentyFactors) {
  SymbolTable symbols;
  const std::vector<Rewrite> rules =
      parse_rules(read_test_file("tensat/rules/single_converted.txt"), symbols, "single_converted.txt");
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId zero = g.add(symbols.intern("0"), 0, {});
  ClassId chain = g.add(symbols.intern("a0"), 0, {});
  for (int i = 1; i < 20; ++i) {
    const ClassId factor = g.add(symbols.intern("a" + std::to_string(i)), 0, {});
    chain = g.add(symbols.intern("matmul"), 0, {zero, chain, factor});
  }
  const RunReport report = run(g, rules, {});
  EXPECT_EQ(report.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(report.e_nodes, 1351u);
  EXPECT_EQ(report.e_classes, 211u);
  EXPECT_EQ(report.iterations, 7u);
  EXPECT_EQ(g.check_invariants(), "");
}

}  // namespace
}  // namespace isomer::egraph
