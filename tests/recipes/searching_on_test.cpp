// What goes on after saturation: where there is nothing left to find it ends, what the record says is of the
// e-graph that is kept, and a proof holds under the prices that it was made with only.
#include "recipes/searching_on.h"

#include <gtest/gtest.h>

#include <optional>

#include "ir/op_table.h"
#include "recipes/choices.h"
#include "support/search_record.h"

namespace isomer::recipes {
namespace {

/// x a + x b + x c + ..., which one product with a sum of weights computes.
ir::Graph sum_of_products(ir::Context& ctx, int products) {
  ir::Builder b(ctx, "sum");
  const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape({8, 4}));
  const ir::ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, ir::static_shape({3, 8})));
  ir::ValueId sum;
  for (int i = 0; i < products; ++i) {
    const ir::ValueId w = b.add("weight", {}, {{"name", "w" + std::to_string(i)}, {"type", int64_t{type.v}}});
    const ir::ValueId product = b.add("matmul", {x, w});
    sum = i == 0 ? product : b.add("add", {sum, product});
  }
  return b.finish({sum});
}

/// Another model, times a factor that may change.
class Scaled final : public cost::CostModel {
 public:
  double factor = 1;
  std::string name() const override { return "scaled"; }
  double cost(const cost::NodeCostQuery& query) override { return factor * model_->cost(query); }
  std::unique_ptr<cost::CostModel> fork() const override {
    auto out = std::make_unique<Scaled>();
    out->factor = factor;
    ++forks;
    return out;
  }
  mutable int forks = 0;

 private:
  std::unique_ptr<cost::CostModel> model_ = cost::make_cost_model("roofline:cpu");
};

/// As the main job does it.
struct Job {
  ir::Context ctx{ir::standard_ops()};
  ir::Graph graph;
  OptimizeOptions options;
  formats::Dialect dialect{17, false};
  Scaled model;
  RunRecord record;
  int fresh = 0;      ///< e-graphs that were made
  double factor = 0;  ///< of prices, from the second e-graph on; 0: they stay
  std::map<std::string, double> first;

  explicit Job(int products) : graph(sum_of_products(ctx, products)) { options.cost = "roofline:cpu"; }

  SearchedOn search() {
    Limits limits;
    limits.seconds = 20;
    limits.iterations = options.iterations;
    Spine spine(record, silent_progress(), limits);
    SearchingOn how;
    how.always = true;
    how.fresh = [&] {
      ++fresh;
      return std::make_unique<Rewriting>(graph, options, ways_of(options), spine, dialect);
    };
    if (factor > 0)
      how.price = [&](const Rewriting&) -> size_t {
        model.factor = factor;
        return 1;
      };
    std::unique_ptr<Rewriting> rewriting = how.fresh();
    const Growth growth = rewriting->explore();
    rewriting->file_growth();
    first = record.numbers;
    return search_on(std::move(rewriting), model, how, spine, growth);
  }
};

TEST(SearchingOn, EndsWhereNoRuleHasAnythingToAddAndTheProgramIsProved) {
  Job job(3);
  const SearchedOn found = job.search();
  EXPECT_TRUE(found.growth.saturated());
  EXPECT_EQ(job.fresh, 1);
  EXPECT_EQ(found.of, "saturation");
  EXPECT_TRUE(found.best.optimal);
  EXPECT_FALSE(job.record.search);
  EXPECT_LT(cost::graph_cost(job.model, found.best.graph), cost::graph_cost(job.model, job.graph));
}

TEST(SearchingOn, DoesNotEndWhereRulesOfSeveralOperatorsWereLeftOut) {
  Job job(3);
  job.dialect.contrib = true;  // brings such rules
  job.search();
  EXPECT_EQ(job.fresh, 2);
  EXPECT_TRUE(job.record.search);
}

TEST(SearchingOn, SeveralRolloutsAtOnceGrowTheSameEGraphTwice) {
  std::vector<std::map<std::string, double>> seen;
  for (int time = 0; time < 2; ++time) {
    Job job(4);
    job.dialect.contrib = true;  // so that there is something to search
    job.options.search_at_once = 3;
    const SearchedOn found = job.search();
    EXPECT_EQ(job.model.forks, 2);
    ASSERT_TRUE(job.record.search);
    EXPECT_LT(cost::graph_cost(job.model, found.best.graph), cost::graph_cost(job.model, job.graph));
    auto& numbers = seen.emplace_back();
    for (const char* name : {"search.rollouts", "search.applications"})
      numbers[name] = job.record.numbers.at(name);
    numbers["cost"] = cost::graph_cost(job.model, found.best.graph);
    for (const auto& node : job.record.search->tree) numbers["visits"] += node.visits * (1 + node.cost);
  }
  EXPECT_GT(seen[0]["search.rollouts"], 3);
  EXPECT_EQ(seen[0], seen[1]);
}

TEST(SearchingOn, TheRecordIsOfTheEGraphThatIsKept) {
  std::optional<double> whole;
  bool kept_first = false, kept_longer = false;
  for (uint64_t iterations = 15; iterations > 0; --iterations) {
    Job job(3);
    job.options.iterations = iterations;
    const SearchedOn found = job.search();
    const double matches = job.record.numbers.at("explore.matches");
    if (!whole) {
      ASSERT_EQ(job.fresh, 1);
      whole = matches;
    }
    kept_first = kept_first || (found.of == "saturation" && job.fresh > 1);
    kept_longer = kept_longer || found.of == "longer saturation";
    EXPECT_EQ(matches, found.of == "longer saturation" ? *whole : job.first.at("explore.matches"))
        << iterations;
  }
  EXPECT_TRUE(kept_first && kept_longer);  // or this saw nothing
}

TEST(SearchingOn, WhatWasProvedIsProvedAgainUnderPricesThatHaveChanged) {
  bool seen = false;
  for (uint64_t iterations = 1; iterations < 15; ++iterations) {
    Job job(3);
    job.options.iterations = iterations;
    job.factor = 0.5;
    const SearchedOn found = job.search();
    const double cost = cost::graph_cost(job.model, found.best.graph);
    if (job.fresh > 1) {
      EXPECT_EQ(job.model.factor, 0.5);
      EXPECT_LE(found.best.bound, cost * (1 + 1e-6)) << iterations << ": " << found.outcome;
      EXPECT_GE(found.best.bound, cost * (1 - 1e-6)) << iterations << ": " << found.outcome;
    }
    seen = seen || (job.fresh > 1 && found.of == "saturation");
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace isomer::recipes
