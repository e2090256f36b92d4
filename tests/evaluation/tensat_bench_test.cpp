#include "evaluation/tensat_bench.h"

#include <gtest/gtest.h>

#include "published/tensat.h"

namespace isomer::evaluation {
namespace {

TensatBenchOptions options_for(std::vector<std::string> models) {
  TensatBenchOptions out;
  out.graphs = std::string(ISOMER_SOURCE_DIR) + "/tests/data/tensat/models/dag";
  out.models = std::move(models);
  out.repeats = 2;
  out.taso_budget = 50;
  out.check = false;  // of one alone, below
  return out;
}

// The costs that TENSAT itself reaches with the same analytic cost, rules and limits.
TEST(TensatBench, Table4IsWhatTensatsExtractorsReach) {
  const auto rows = extractor_table(options_for({"nasrnn", "bert"}));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].model, "bert");
  EXPECT_NEAR(rows[0].original, 0.8256, 1e-4);
  EXPECT_NEAR(rows[0].greedy, 0.8256, 1e-4);
  EXPECT_NEAR(rows[0].ilp, 0.7456, 1e-4);
  EXPECT_EQ(rows[1].model, "nasrnn");
  EXPECT_NEAR(rows[1].original, 1.3652, 1e-4);
  EXPECT_NEAR(rows[1].greedy, 1.0573, 1e-4);
  EXPECT_NEAR(rows[1].ilp, 1.0072, 1e-4);
}

TEST(TensatBench, Table1HasBothOptimizersAndBothObjectives) {
  const MainTable t = main_table(options_for({"vgg"}));
  ASSERT_EQ(t.tensat.size(), 2u);
  ASSERT_EQ(t.taso.size(), 4u);
  for (const TensatRow& r : t.tensat) {
    EXPECT_NEAR(r.start, 7.2576, 1e-4);
    EXPECT_NEAR(r.cost, 6.7815, 1e-4);
    EXPECT_NEAR(r.speedup, 100 * (7.2576 / 6.7815 - 1), 0.01);
    EXPECT_TRUE(r.optimal);
    EXPECT_EQ(r.e_nodes, 112u);
    EXPECT_GT(r.total.mean, 0);
  }
  for (const TasoRow& r : t.taso) {
    EXPECT_NEAR(r.cost, 6.7815, 1e-4);
    EXPECT_LE(r.to_best.mean, r.total.mean);
  }
}

TEST(TensatBench, Figure7CountsENodesAsTensat) {
  TensatBenchOptions options = options_for({"resnext50"});
  options.rules = recipes::GroupedConvolutions::kAsTensat;
  options.most_k_multi = 2;
  const auto rows = multi_pattern_table(options);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].e_nodes, 358u);
  EXPECT_EQ(rows[1].e_nodes, 371u);
  EXPECT_EQ(rows[2].e_nodes, 431u);
}

// What is merged of NASNet-A's grouped convolutions by the published rules is another program.
TEST(TensatBench, SoundRulesUnlessAsked) {
  TensatBenchOptions options = options_for({"nasneta"});
  const auto sound = extractor_table(options);
  options.rules = recipes::GroupedConvolutions::kAsTensat;
  options.check = true;
  const auto published = extractor_table(options);
  ASSERT_EQ(sound.size(), 1u);
  ASSERT_EQ(published.size(), 1u);
  EXPECT_NEAR(sound[0].original, 7.6747, 1e-4);
  EXPECT_NEAR(sound[0].ilp, 7.5961, 1e-4);
  EXPECT_NEAR(published[0].ilp, 7.0898, 1e-4);
  EXPECT_FALSE(sound[0].check);
  ASSERT_TRUE(published[0].check);  // the row says so
  if (!published[0].check->differs() && published[0].check->floats.kind == verify::VerdictKind::kUnknown)
    GTEST_SKIP() << published[0].check->words();
  EXPECT_TRUE(published[0].check->is_wrong()) << published[0].check->words();
}

// Each row of table 1 is the sum of its row in table 3, to the digits given.
TEST(TensatPublished, TablesOneAndThreeAgree) {
  ASSERT_EQ(published::tensat::models().size(), 7u);
  for (const published::tensat::Model& m : published::tensat::models())
    EXPECT_NEAR(m.exploration + m.extraction, m.tensat_seconds, 0.061) << m.model;
}

}  // namespace
}  // namespace isomer::evaluation
