// When measuring costs ends early, and when not: what the runtime tells is made up
// (tests/data/recipes/stand_in_worker.py).
#include "recipes/pricing.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/choices.h"
#include "recipes/optimize.h"
#include "runtime/stand_in.h"

namespace isomer::recipes {
namespace {

/// Products that every program has, and two transpositions that undo each other, which cost next to nothing.
constexpr const char* kMostlyProducts = R"(graph {
  %x = input{name="x"} : f32[512,1024]
  %w = constant : f32[1024,1024] <#1>
  %p = matmul(%x, %w) : f32[512,1024]
  %y = tanh(%p) : f32[512,1024]
  %s = input{name="s"} : f32[64,48]
  %a = transpose{perm=[1,0]}(%s) : f32[48,64]
  %b = transpose{perm=[1,0]}(%a) : f32[64,48]
  %z = tanh(%b) : f32[64,48]
  return %y, %z
})";

class Pricing : public testing::Test {
 protected:
  /// `told`: what operators cost in the runtime.
  void start(const std::string& told) {
    workers_.tell(told);
    spine_.emplace(record_, silent_progress(), Limits{});
    rewriting_.emplace(graph_, options_, ways_, *spine_, formats::Dialect(17));
    require_sound(rewriting_->explore());
    model_.emplace(runtime_, cost::DeviceProfile{"local", 1e11, 1e10, 1e-3, "made up"});
  }
  PricingReport price(bool ends_early) {
    return price_lazily(*rewriting_, *model_, Deadline(60, steady_clock()), silent_progress(), ends_early);
  }

  runtime::StandInWorkers workers_;
  ir::Context ctx_{ir::standard_ops()};
  ir::Graph graph_ = ir::parse_graph(ctx_, kMostlyProducts);
  OptimizeOptions options_;
  Ways ways_ = ways_of(options_);
  RunRecord record_;
  runtime::OnnxRuntime runtime_;
  std::optional<Spine> spine_;
  std::optional<Rewriting> rewriting_;
  std::optional<runtime::MeasuredCost> model_;
};

TEST_F(Pricing, EndsOnceNoGainCouldBeShown) {
  start(R"({"operator_ms": 1e-4})");
  const PricingReport report = price(true);
  EXPECT_TRUE(report.hopeless()) << report.most_gain;
  EXPECT_EQ(report.rounds, 1);
  EXPECT_GT(report.measured, 0u);
  EXPECT_EQ(report.stop_reason, StopReason::kRunning);
}

TEST_F(Pricing, GoesOnWhereItMayNotEnd) {
  start(R"({"operator_ms": 1e-4})");
  const PricingReport report = price(false);
  EXPECT_FALSE(report.hopeless());
  EXPECT_TRUE(report.complete);
}

TEST_F(Pricing, GoesOnWhereCostsAreGuessed) {
  start(R"({"operator_ms": 1e-4})");
  price(false);
  const PricingReport again = price(true);
  EXPECT_FALSE(again.hopeless());
  EXPECT_TRUE(again.complete);
}

TEST_F(Pricing, JudgesNothingWhereTheOriginalWasNotMeasuredInTime) {
  start(R"({"operator_ms": 1e-4, "operators": 0})");
  const PricingReport report = price(true);
  EXPECT_FALSE(report.hopeless());
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.rounds, 0);
  EXPECT_EQ(report.stop_reason, StopReason::kTimeLimit);
}

TEST_F(Pricing, GoesOnWhereTheRestMayGain) {
  start(R"({"operator_ms": 5})");
  const PricingReport report = price(true);
  EXPECT_FALSE(report.hopeless());
  EXPECT_TRUE(report.complete);
}

TEST_F(Pricing, OfOneRuntimeDeclinesNothingInAnother) {
  workers_.tell(R"({"operator_ms": 1e-4, "loads": 6, "rounds": 2, "ratio": 1.5, "on_all_cores": 1})");
  const char* const given = getenv("ISOMER_CACHE");
  const std::string before = given == nullptr ? "" : given;
  setenv("ISOMER_CACHE", workers_.folder().c_str(), 1);
  options_.input = workers_.folder() / "m.onnx";
  options_.output = workers_.folder() / "o.onnx";
  options_.cost = "onnxruntime";
  formats::write_onnx(graph_, *formats::OnnxEnvelope::plain(graph_), options_.input, {});
  const OptimizeResult here = optimize(options_, {}, silent_progress(), record_, {});
  options_.target = "openvino";
  const OptimizeResult there = optimize(options_, {}, silent_progress(), record_, {});
  options_.cost = "auto";
  const OptimizeResult by_its_own = optimize(options_, {}, silent_progress(), record_, {});
  setenv("ISOMER_CACHE", before.c_str(), 1);  // empty: none
  EXPECT_FALSE(here.changed);
  EXPECT_NE(here.decision.find("all that could be rewritten may save"), std::string::npos) << here.decision;
  EXPECT_TRUE(there.changed) << there.decision;
  EXPECT_FALSE(by_its_own.changed);
  EXPECT_NE(by_its_own.decision.find("all that could be rewritten may save"), std::string::npos)
      << by_its_own.decision;
}

}  // namespace
}  // namespace isomer::recipes
