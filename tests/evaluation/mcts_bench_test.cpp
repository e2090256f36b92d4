#include "evaluation/mcts_bench.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "ir/op_table.h"
#include "recipes/tensat.h"

namespace isomer::evaluation {
namespace {

// "For VGG-19 there was only one applicable rewrite rule": it saturates, whatever extraction guides it.
TEST(MctsBench, VggSaturatesUnderEveryPair) {
  MctsBenchOptions options;
  options.models = {"vgg"};
  options.devices = {"a100"};
  options.approaches = mcts_approaches();
  options.seeds = 1;
  options.budget = 8;
  options.check = false;  // weights of 500 MB, once for each approach: found_check_test.cpp has a small one
  std::map<std::string, MctsBenchRun> runs;
  run_mcts_bench(options, [](const MctsBenchFirst&) {}, [&](const MctsBenchRun& r) { runs[r.approach] = r; });
  ASSERT_EQ(runs.size(), mcts_approaches().size());
  for (const auto& [approach, run] : runs) {
    if (approach != "annealing" && approach != "random") {  // which go on to change nothing
      EXPECT_EQ(run.stop_reason, "saturated") << approach;
    }
    if (approach == "blocks")  // the nodes of a part
      EXPECT_LT(run.nodes, 112u);
    else
      EXPECT_EQ(run.nodes, 112u) << approach;  // TENSAT's count
    EXPECT_NEAR(run.cost, runs["tensat"].cost, 1e-9) << approach;
  }
}

// The published ones are asked for by name, which is then said of every run; NASRNN has one rule less in
// both.
TEST(MctsBench, RulesAreSoundUnlessThePublishedOnesAreAskedFor) {
  MctsBenchOptions options;
  options.models = {"vgg"};
  options.devices = {"a100"};
  options.approaches = {"tensat"};
  MctsBenchOptions published = options;
  published.rules = {BenchRules::Kind::kAsTensat};
  ir::Context ctx(ir::standard_ops());
  const auto conditions = [&](const MctsBenchOptions& of) {
    size_t sum = 0;
    for (const rewrite::Rule& rule : mcts_rules(ctx.ops(), of, "vgg").rules) sum += rule.conditions.size();
    return sum;
  };
  EXPECT_GT(conditions(options), 0u);
  EXPECT_EQ(conditions(published), 0u);
  for (const MctsBenchOptions& of : {options, published}) {
    EXPECT_EQ(mcts_rules(ctx.ops(), of, "vgg").rules.size(), 139u);
    EXPECT_EQ(mcts_rules(ctx.ops(), of, "nasrnn").rules.size(), 138u);
  }
  const MctsBenchKey sound = plan(options)[0].key, asked = plan(published)[0].key;
  EXPECT_EQ(sound.settings, "");
  EXPECT_EQ(asked.settings, "--rules published");
  EXPECT_NE(sound.inputs, asked.inputs);
}

TEST(MctsBench, PublishedTablesAreWhole) {
  size_t rows = 0;
  for (const published::mcts::Model& m : published::mcts::models())
    for (const char* device : {"a100", "p100"})
      for (const char* pair :
           {"default/default", "default/ilp", "ours/ours", "ours/ilp", "ilp/ilp", "tensat"})
        rows += published::mcts::run_of(device, m.model, pair) != nullptr;
  EXPECT_EQ(rows, 13u * 6 + 9 * 6);
  EXPECT_EQ(published::mcts::run_of("p100", "squeezenet", "ilp/ilp")->seconds, 5544.4);
  EXPECT_EQ(published::mcts::first_of("a100", "nasneta")->sharing, 3.59);
}

// A variant of fewer layers is not the model; the model's numbers stand beside it.
TEST(MctsBench, VariantsAreToldFromWholeModels) {
  EXPECT_EQ(published::mcts::model_of("vit_large-4layers"), nullptr);
  EXPECT_EQ(published::mcts::whole_model("vit_large-4layers"), published::mcts::model_of("vit_large"));
  ASSERT_NE(published::mcts::model_of("vit_large"), nullptr);
  EXPECT_EQ(published::mcts::whole_model("alexnet"), nullptr);
}

}  // namespace
}  // namespace isomer::evaluation
