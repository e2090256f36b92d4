// What becomes of a run whose time is over, or that is interrupted, at each of its steps. The clock is passed
// in: it stands still, and jumps where a step begins. The runtime is a stand-in
// (tests/data/recipes/stand_in_worker.py).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "formats/onnx.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/load.h"
#include "recipes/optimize.h"
#include "runtime/stand_in.h"

namespace isomer::recipes {
namespace {

namespace fs = std::filesystem;

/// Does something, once, when a phase begins or tells something.
class At final : public ProgressSink {
 public:
  At(std::string phase, bool begins, std::function<void()> what)
      : phase_(std::move(phase)), begins_(begins), what_(std::move(what)) {}
  void update(const Progress& p) override {
    if (p.phase != phase_ || p.note.empty() != begins_ || done_) return;
    done_ = true;
    what_();
  }
  void message(const std::string&) override {}

 private:
  std::string phase_;
  bool begins_, done_ = false;
  std::function<void()> what_;
};

class OptimizeLimits : public testing::Test {
 protected:
  void SetUp() override {
    workers_.tell(R"({"loads": 12, "rounds": 5, "ratio": 1.5})");
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
      %x = input{name="x"} : f32[3,8]
      %a = constant : f32[8,4] <#1>
      %b = constant : f32[4,2] <#2>
      %p = matmul(%x, %a) : f32[3,4]
      %y = matmul(%p, %b) : f32[3,2]
      return %y })");
    formats::write_onnx(graph, *formats::OnnxEnvelope::plain(graph), (workers_.folder() / "m.onnx").string(),
                        {});
    options_.input = workers_.folder() / "m.onnx";
    options_.output = workers_.folder() / "o.onnx";
    options_.cost = "roofline:cpu";
  }

  OptimizeResult run(ProgressSink& sink) {
    record_ = {};
    return optimize(options_, stop_, sink, record_, {}, clock_);
  }
  /// The time is over when the step begins.
  OptimizeResult late_from(const std::string& step) {
    At sink(step, true, [&] { clock_.advance(1e6); });
    return run(sink);
  }
  std::string outcome(const std::string& step) const {
    for (const Phase& p : record_.phases)
      if (p.name == step) return p.outcome;
    return "no such step";
  }
  bool wrote_the_original() const {
    ir::Context ctx(ir::standard_ops());
    return ir::dag_hash(load_program(ctx, options_.input).graph) ==
           ir::dag_hash(load_program(ctx, options_.output).graph);
  }
  void expect_the_original(const OptimizeResult& result) const {
    EXPECT_FALSE(result.changed);
    EXPECT_TRUE(result.verified);
    EXPECT_TRUE(wrote_the_original());
    EXPECT_TRUE(result.decision.starts_with("the original program")) << result.decision;
  }

  runtime::StandInWorkers workers_;
  OptimizeOptions options_;
  StopToken stop_;
  ManualClock clock_;
  RunRecord record_;
};

TEST_F(OptimizeLimits, WithTimeEnoughTheFasterIsWritten) {
  options_.no_measure = true;
  const OptimizeResult result = run(silent_progress());
  EXPECT_TRUE(result.changed) << result.decision;
  EXPECT_FALSE(wrote_the_original());
  EXPECT_EQ(result.interrupted, "");
}

TEST_F(OptimizeLimits, WhatIsNotFoldedInTimeIsDropped) {
  const OptimizeResult result = late_from("stage");
  expect_the_original(result);
  EXPECT_NE(result.decision.find("folding its constants takes longer than there was time"), std::string::npos)
      << result.decision;
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_NE(result.warnings.back().find("dropped"), std::string::npos);
}

TEST_F(OptimizeLimits, WhatIsNotTimedIsNotWritten) {
  const OptimizeResult result = late_from("measure");
  expect_the_original(result);
  EXPECT_NE(result.decision.find("not timed: no time was left"), std::string::npos) << result.decision;
  EXPECT_TRUE(std::isnan(result.speedup));
}

TEST_F(OptimizeLimits, ARuntimeThatDoesNotAnswerInTimeIsEnded) {
  workers_.tell(R"({"loads": 0, "rounds": 0, "ratio": 1})");
  At sink("measure", true, [&] { clock_.advance(69 - 0.2); });  // a tenth of a second is left for timing
  const double begin = wall_seconds();
  const OptimizeResult result = run(sink);
  EXPECT_LT(wall_seconds() - begin, 60);  // it would be silent for good; a loaded machine is slow
  EXPECT_NE(result.decision.find("not timed: no time was left"), std::string::npos) << result.decision;
  EXPECT_FALSE(result.changed);
}

TEST_F(OptimizeLimits, AChainIsNotFoundWithoutTime) {
  options_.no_measure = true;
  const OptimizeResult result = late_from("explain");
  EXPECT_EQ(outcome("explain"), "no chain: no time was left for it");
  EXPECT_TRUE(record_.chain.empty());
  expect_the_original(result);  // nor can it be verified
}

TEST_F(OptimizeLimits, WhatIsNotVerifiedInTimeIsNotWritten) {
  options_.no_measure = true;
  const OptimizeResult result = late_from("verify");
  expect_the_original(result);
  EXPECT_NE(result.decision.find("no time was left to check every rewrite"), std::string::npos)
      << result.decision;
  EXPECT_TRUE(result.rules_unchecked && result.written);
  EXPECT_NE(result.verification.find("byte for byte"), std::string::npos) << result.verification;
  EXPECT_EQ(result.cost_after, result.cost_before);
}

TEST_F(OptimizeLimits, WithoutTimeAtAllTheOriginalIsWritten) {
  const OptimizeResult result = late_from("explore");
  expect_the_original(result);
}

TEST_F(OptimizeLimits, AnInterruptedTimingIsDecidedByThePairsAtHand) {
  workers_.tell(R"({"loads": 3, "rounds": 10, "ratio": 1.5})");
  At sink("measure", false, [&] { stop_.request(); });
  const OptimizeResult result = run(sink);
  EXPECT_TRUE(result.changed) << result.decision;
  EXPECT_TRUE(result.verified);
  EXPECT_EQ(result.interrupted, "measure");
  EXPECT_TRUE(result.decision.starts_with("the optimised program, interrupted: faster by a median of 1.500"))
      << result.decision;
  EXPECT_GT(result.speedup_low, 1.4);
  EXPECT_LT(result.speedup_high, 1.6);
  EXPECT_FALSE(wrote_the_original());
}

TEST_F(OptimizeLimits, WhatIsSlowerOnAllCoresIsNotWritten) {
  workers_.tell(R"({"loads": 6, "rounds": 2, "ratio": 1.5, "cores": 4, "on_all_cores": 1.25})");
  const OptimizeResult result = run(silent_progress());
  expect_the_original(result);
  EXPECT_TRUE(result.decision.starts_with("the original program: slower on 4 cores 0.800"))
      << result.decision;
  EXPECT_DOUBLE_EQ(result.speedup_all_cores, 0.8);
  EXPECT_DOUBLE_EQ(result.speedup, 1.5);
}

TEST_F(OptimizeLimits, WhatIsAsFastOnAllCoresIsWritten) {
  workers_.tell(R"({"loads": 6, "rounds": 2, "ratio": 1.5, "cores": 4, "on_all_cores": 1})");
  const OptimizeResult result = run(silent_progress());
  EXPECT_TRUE(result.changed) << result.decision;
  EXPECT_NE(result.decision.find("; on 4 cores 1.000"), std::string::npos) << result.decision;
  options_.threads = 2;  // then only that is asked
  EXPECT_TRUE(std::isnan(run(silent_progress()).speedup_all_cores));
}

TEST_F(OptimizeLimits, TooFewPairsClaimNothing) {
  workers_.tell(R"({"loads": 1, "rounds": 3, "ratio": 1.5})");
  At sink("measure", false, [&] { stop_.request(); });
  const OptimizeResult result = run(sink);
  expect_the_original(result);
  EXPECT_EQ(result.decision,
            "the original program: interrupted: 3 pairs of runs are too few to say which is faster");
  EXPECT_TRUE(std::isnan(result.speedup));
  EXPECT_TRUE(std::isnan(result.speedup_low));
  EXPECT_EQ(result.interrupted, "measure");
}

TEST_F(OptimizeLimits, ADryRunSaysWhatWouldBeWritten) {
  options_.no_measure = true;
  const OptimizeResult written = run(silent_progress());
  fs::remove(options_.output);
  options_.dry_run = true;
  const OptimizeResult dry = run(silent_progress());
  EXPECT_EQ(dry.nodes_after, written.nodes_after);
  EXPECT_EQ(dry.macs_after, written.macs_after);
  EXPECT_EQ(dry.weight_bytes_after, written.weight_bytes_after);
  EXPECT_EQ(dry.cost_after, written.cost_after);
  EXPECT_EQ(dry.rules_applied, written.rules_applied);
  EXPECT_FALSE(dry.changed);
  EXPECT_FALSE(dry.verified);
  EXPECT_FALSE(fs::exists(options_.output));
}

}  // namespace
}  // namespace isomer::recipes
