// Searches on toys small enough that the answer is known without them.
#include <gtest/gtest.h>

#include <map>

#include "search/annealing.h"
#include "search/backtracking.h"
#include "search/beam.h"
#include "search/random_walks.h"

namespace isomer::search {
namespace {

/// Positions 0..n-1 on a line with a given height at each; steps go one to the left or right.
struct NumberLine {
  using State = size_t;
  using Action = int;
  std::vector<double> heights;
  size_t start = 0;
  uint64_t steps = 0;

  State initial() { return start; }
  std::vector<Action> actions(const State& s) {
    std::vector<Action> out;
    if (s > 0) out.push_back(-1);
    if (s + 1 < heights.size()) out.push_back(1);
    return out;
  }
  State step(const State& s, const Action& a) {
    ++steps;
    return a > 0 ? s + 1 : s - 1;
  }
  double cost(const State& s) { return heights[s]; }
  uint64_t key(const State& s) { return s; }
};

/// The same, but the cost of a step is known beforehand.
struct PreviewedLine : NumberLine {
  Preview preview(const State& s, const Action& a) {
    const size_t next = a > 0 ? s + 1 : s - 1;
    return {heights[next], next};
  }
};

static_assert(Problem<NumberLine> && !PreviewsSteps<NumberLine> && PreviewsSteps<PreviewedLine>);

TEST(Backtracking, AlphaOneGoesDownhillOnly) {
  NumberLine line{{5, 4, 4.1, 1}};
  const auto r = backtracking(line, {.alpha = 1, .budget = 100, .limits = {}});
  EXPECT_EQ(r.best, 1u);
  EXPECT_EQ(r.cost, 4);
  EXPECT_EQ(r.stop_reason, StopReason::kSaturated);
}

TEST(Backtracking, LargerAlphaClimbsOverAHill) {
  NumberLine line{{5, 4, 4.1, 1}};
  const auto r = backtracking(line, {.alpha = 1.05, .budget = 100, .limits = {}});
  EXPECT_EQ(r.best, 3u);
  NumberLine high{{5, 4, 4.3, 1}};
  EXPECT_EQ(backtracking(high, {.alpha = 1.05, .budget = 100, .limits = {}}).best, 1u);
}

TEST(Backtracking, BudgetEndsTheSearch) {
  NumberLine line{{9, 8, 7, 6, 5, 4, 3, 2, 1}};
  const auto r = backtracking(line, {.alpha = 1.05, .budget = 3, .limits = {}});
  EXPECT_EQ(r.stop_reason, StopReason::kIterationLimit);
  EXPECT_EQ(r.expanded, 3u);
  EXPECT_EQ(r.best, 3u);  // three were looked at, the best that they led to counts
}

TEST(Backtracking, TakesNoStepThatWasPreviewedAsTooDear) {
  PreviewedLine line{{{5, 9, 1}}};
  const auto r = backtracking(line, {.alpha = 1.05, .budget = 100, .limits = {}});
  EXPECT_EQ(r.best, 0u);
  EXPECT_EQ(line.steps, 0u);
}

TEST(Backtracking, AStopIsHeard) {
  NumberLine line{{9, 8, 7, 6}};
  BacktrackingOptions options{.alpha = 2, .budget = 100, .limits = {}};
  options.limits.stop.request();
  const auto r = backtracking(line, options);
  EXPECT_EQ(r.stop_reason, StopReason::kInterrupted);
  EXPECT_LE(r.cost, 9);
}

TEST(Beam, AWideBeamCrossesWhatANarrowOneAlsoCrossesAndNeverVisitsTwice) {
  NumberLine line{{5, 7, 6, 1}};
  const auto r = beam(line, {.width = 1, .limits = {}});
  EXPECT_EQ(r.best, 3u);
  EXPECT_EQ(r.visited, 3u);
  EXPECT_EQ(r.stop_reason, StopReason::kSaturated);
}

TEST(Beam, LevelsAreLimited) {
  NumberLine line{{5, 4, 3, 2, 1}};
  BeamOptions options{.width = 2, .limits = {}};
  options.limits.iterations = 2;
  const auto r = beam(line, options);
  EXPECT_EQ(r.best, 2u);
  EXPECT_EQ(r.stop_reason, StopReason::kIterationLimit);
}

TEST(Annealing, FindsTheValleyBehindAHillAndRepeatsItselfBySeed) {
  const std::vector<double> heights{5, 5.2, 5.1, 4, 4.2, 1, 3};
  std::map<uint64_t, double> cost;
  for (uint64_t seed : {1, 2, 1}) {
    NumberLine line{heights};
    Rng rng(seed);
    const auto r = annealing(line, {.hot = 0.2, .cold = 1e-3, .steps = 2000, .limits = {}}, rng);
    EXPECT_EQ(r.best, 5u);
    EXPECT_EQ(r.stop_reason, StopReason::kIterationLimit);
    const auto [it, fresh] = cost.emplace(seed, static_cast<double>(r.accepted));
    EXPECT_EQ(it->second, static_cast<double>(r.accepted));
  }
}

TEST(RandomWalks, TakeTheirStepsAndRepeatThemselvesBySeed) {
  std::map<uint64_t, uint64_t> first;
  for (uint64_t seed : {1, 2, 1}) {
    NumberLine line{{5, 6, 7, 1, 9}};
    Rng rng(seed);
    uint64_t met = 0;
    const auto r = random_walks(line, {.steps = 500, .length = 7, .limits = {}}, rng,
                                [&](double, uint64_t steps) { met = steps; });
    EXPECT_EQ(first.emplace(seed, met).first->second, met);
    EXPECT_EQ(r.best, 3u);
    EXPECT_EQ(r.cost, 1);
    EXPECT_EQ(r.steps, 500u);
    EXPECT_EQ(line.steps, 500u);
    EXPECT_EQ(r.walks, (500 + 6) / 7);
    EXPECT_EQ(r.stop_reason, StopReason::kIterationLimit);
  }
}

TEST(RandomWalks, EndWhereNothingLeadsOn) {
  NumberLine line{{5}};
  Rng rng(1);
  EXPECT_EQ(random_walks(line, {}, rng).stop_reason, StopReason::kSaturated);
}

}  // namespace
}  // namespace isomer::search
