// Priors of rules: what is kept, what is made of it, and that a search minds them.
#include "recipes/rule_priors.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/mcts.h"
#include "recipes/tensat.h"

namespace isomer::recipes {
namespace {

const std::string kSourceFolder = ISOMER_SOURCE_DIR;

class RulePriors : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "isomer-priors-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

RuleStatistics some() {
  RuleStatistics s;
  s.rollouts = 100;
  s.reward = 10;  // 0.1 a rollout
  s.rules["good"] = {100, 30, 2};
  s.rules["bad"] = {100, 1, 0};
  s.rules["rare"] = {1, 0.3, 0};
  return s;
}

rewrite::RuleSet named(std::initializer_list<const char*> names) {
  rewrite::RuleSet out;
  for (const char* name : names) out.rules.emplace_back().name = name;
  return out;
}

TEST_F(RulePriors, WhatIsKeptComesBackByCostModelAndProgram) {
  Store store(folder_ / "store.sqlite");
  ASSERT_TRUE(keep(store, "roofline:a100", {"one", "1"}, some()));
  RuleStatistics other = some();
  other.rollouts = 7;
  ASSERT_TRUE(keep(store, "roofline:a100", {"two", "2"}, other));
  ASSERT_TRUE(keep(store, "roofline:p100", {"one", "1"}, other));
  ASSERT_TRUE(keep(store, "roofline:a100", {"one", "1"}, some()));  // takes the place of the first
  store.put("rule statistics", "roofline:a100\nbroken\n1", "[");
  store.put("rule statistics", "roofline:a100\nearlier", "{\"rollouts\":1,\"reward\":1,\"rules\":{}}");
  const auto kept = kept_statistics(store, "roofline:a100");
  EXPECT_EQ(kept, (std::map<LearnedFrom, RuleStatistics>{{{"one", "1"}, some()}, {{"two", "2"}, other}}));
  // Neither of the same name nor the same under another name.
  EXPECT_EQ(of_others(kept, {"one", "3"}), std::vector<RuleStatistics>{other});
  EXPECT_EQ(of_others(kept, {"three", "2"}), std::vector<RuleStatistics>{some()});
  EXPECT_NE(hash_of(of_others(kept, {"one", "1"})), hash_of(of_others(kept, {"two", "2"})));
  EXPECT_EQ(hash_of(of_others(kept, {"one", "1"})), hash_of(std::vector<RuleStatistics>{other}));
}

TEST_F(RulePriors, BetterRulesAreDrawnMoreOftenAndNoneIsGivenUp) {
  const RuleStatistics searches[] = {some()};
  const std::vector<double> p = priors_from(searches, named({"bad", "good", "rare", "never met"}));
  ASSERT_EQ(p.size(), 4u);
  EXPECT_EQ(p[1], 1);
  EXPECT_LT(p[0], p[3]);  // what is not known is better than what is known to be bad
  EXPECT_LT(p[3], p[2]);
  EXPECT_LT(p[2], 1);  // as good as the best, but only once
  for (double x : p) EXPECT_GE(x, 0.05);

  RuleStatistics nothing = some();
  nothing.reward = 0;
  const RuleStatistics without[] = {nothing};
  EXPECT_TRUE(priors_from(without, named({"good"})).empty());
  EXPECT_TRUE(priors_from({}, named({"good"})).empty());
}

TEST_F(RulePriors, ASearchWritesDownWhatItsRulesBroughtAndMindsPriors) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph =
      formats::read_sexpr_file(ctx, kSourceFolder + "/tests/data/tensat/models/dag/bert.dag");
  const rewrite::RuleSet rules =
      tensat_rules(ctx.ops(), kSourceFolder + "/rules", GroupedConvolutions::kAsTensat);
  MctsRunOptions o = mcts_plus();
  o.rounds = 1;
  o.search.budget = 8;
  RuleStatistics learned;
  o.statistics = &learned;
  const MctsRunResult plain = run_mcts(graph, rules, o);
  ASSERT_LT(plain.cost, plain.start_cost);
  EXPECT_GT(learned.reward, 0);
  EXPECT_GE(learned.rollouts, plain.steps.size());
  uint64_t on_best = 0;
  for (const auto& [name, of] : learned.rules) {
    EXPECT_LE(of.rollouts, learned.rollouts);
    EXPECT_LE(of.reward, learned.reward * (1 + 1e-9));
    on_best += of.on_best;
  }
  EXPECT_GT(on_best, 0u);

  // Statistics that say nothing leave the search as it was.
  RuleStatistics nothing = learned;
  nothing.reward = 0;
  o.statistics = nullptr;
  o.experience = {nothing};
  const MctsRunResult same = run_mcts(graph, rules, o);
  EXPECT_EQ(same.rollouts, plain.rollouts);
  EXPECT_EQ(same.applications, plain.applications);
  o.experience = {learned};
  const MctsRunResult other = run_mcts(graph, rules, o);
  EXPECT_NE(other.applications, plain.applications);
  const MctsRunResult again = run_mcts(graph, rules, o);
  EXPECT_EQ(again.applications, other.applications);
  EXPECT_EQ(again.cost, other.cost);
}

}  // namespace
}  // namespace isomer::recipes
