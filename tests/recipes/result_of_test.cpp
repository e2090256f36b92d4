// A result is made of what steps returned, of however many there are.
#include "recipes/result_of.h"

#include <gtest/gtest.h>

#include <cmath>

namespace isomer::recipes {
namespace {

class ResultOf : public testing::Test {
 protected:
  ResultOf() {
    options_.input = "m.onnx";
    options_.output = "o.onnx";
    options_.cost = "anchor";
  }
  OptimizeResult result() const { return result_of(options_, record_, work_); }

  OptimizeOptions options_;
  RunRecord record_;
  steps::Work work_;
};

TEST_F(ResultOf, NothingIsKnownBeforeTheFirstStep) {
  const OptimizeResult r = result();
  EXPECT_EQ(r.input, "m.onnx");
  EXPECT_EQ(r.cost_model, "anchor");
  EXPECT_EQ(r.nodes_before, -1);
  EXPECT_TRUE(std::isnan(r.cost_before) && std::isnan(r.cost_candidate));
  EXPECT_TRUE(r.decision.empty() && r.stop_reason.empty() && r.warnings.empty());
  EXPECT_FALSE(r.verified || r.changed);
}

TEST_F(ResultOf, WhatWasGrownAndPricedIsTold) {
  work_.explored.grown.growth = {7, 5, 2, StopReason::kSaturated};
  work_.explored.rules_used = 3;
  work_.priced.original = 4;
  const OptimizeResult r = result();
  EXPECT_EQ(r.e_nodes, 7u);
  EXPECT_EQ(r.rules_used, 3u);
  EXPECT_EQ(r.stop_reason, to_string(StopReason::kSaturated));
  EXPECT_EQ(r.cost_before, 4);
  EXPECT_EQ(r.cost_after, 4);
}

TEST_F(ResultOf, ItIsSaidWhereCostsAreGuessed) {
  PricingReport& report = work_.priced.report.emplace();
  report.rounds = 12;
  EXPECT_EQ(result().warnings,
            std::vector<std::string>{"12 rounds of measuring did not reach all costs: the rest is guessed"});
  report.stop_reason = StopReason::kTimeLimit;
  EXPECT_EQ(result().warnings,
            std::vector<std::string>{"no time was left to measure all costs: the rest is guessed"});
  report = {};
  report.complete = true;
  EXPECT_TRUE(result().warnings.empty());
  report = {};
  report.most_gain = 0.001;
  EXPECT_TRUE(result().warnings.empty());
}

TEST_F(ResultOf, TheLastStepThatSaysWhyDecides) {
  work_.candidates.why_none = original_since("nothing cheaper was found");
  EXPECT_EQ(result().decision, "the original program: nothing cheaper was found");
  work_.entrants.why_none = original_since("the weights would grow");
  EXPECT_EQ(result().decision, "the original program: the weights would grow");
  EXPECT_EQ(result().why_original, "the weights would grow");
  work_.measured.why = "1.5 times as fast";
  work_.measured.changed = true;
  EXPECT_EQ(result().decision, "the optimised program, 1.5 times as fast");
  EXPECT_EQ(result().why_original, "");
  work_.settled.decision = optimised("by its cost alone (--no-measure)");
  EXPECT_EQ(result().decision, "the optimised program, by its cost alone (--no-measure)");
  work_.verified.emplace().decision = original_since("no time was left");
  EXPECT_EQ(result().why_original, "no time was left");
  EXPECT_FALSE(result().rules_unchecked);
  work_.verified->decision.rules_unchecked = true;
  EXPECT_TRUE(result().rules_unchecked);
}

TEST_F(ResultOf, WhatIsWrittenUnchangedIsAsFastAsItWas) {
  work_.measured.figures = TimedPair::Figures{2, 3, 0.7, 0.6, 0.8};
  EXPECT_EQ(result().latency_after_ms, 3);
  EXPECT_FALSE(result().written);
  work_.written = ProgramSize{1, 2, 3};
  EXPECT_TRUE(result().written);
  EXPECT_EQ(result().latency_after_ms, 2);
  EXPECT_EQ(result().nodes_after, 1);
  work_.settled.chosen.changed = true;
  work_.settled.cost = 5;
  EXPECT_EQ(result().latency_after_ms, 3);
  EXPECT_EQ(result().cost_after, 5);
}

}  // namespace
}  // namespace isomer::recipes
