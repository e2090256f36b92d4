#include "recipes/time_budget.h"

#include <gtest/gtest.h>

#include "isomer/isomer.h"

namespace isomer::recipes {
namespace {

using Step = TimeBudget::Step;
constexpr Step kSteps[] = {Step::kFold, Step::kMeasure, Step::kExplain, Step::kVerify, Step::kReport};

/// When all ends if every step takes all that it gets, in seconds from the beginning.
double longest(double limit, double search) {
  ManualClock clock;
  const TimeBudget time(limit, false, {}, clock);
  clock.advance(search);
  for (const Step step : kSteps) clock.advance(time.begin(step).remaining());
  return time.elapsed();
}

TEST(TimeBudget, EverythingEndsByTheLimitATenthAndFiveSeconds) {
  for (const double limit : {0.0, 1.0, 10.0, 60.0, 600.0}) {
    ManualClock clock;
    const double search = TimeBudget(limit, false, {}, clock).search().remaining();
    EXPECT_LT(search, limit + 1e-9);
    EXPECT_LE(longest(limit, search), 1.1 * limit + 5) << limit;
    // Where what cannot be cut took long already, what is left is not more.
    EXPECT_LE(longest(limit, 1.1 * limit + 5), 1.1 * limit + 5) << limit;
  }
}

TEST(TimeBudget, EachStepHasAShareOfWhatIsLeft) {
  ManualClock clock;
  const TimeBudget time(60, false, {}, clock);
  clock.advance(time.search().remaining());
  for (const Step step : kSteps) {
    EXPECT_GT(time.begin(step).remaining(), 0.3);
    clock.advance(time.begin(step).remaining());
  }
  EXPECT_LT(time.begin(Step::kVerify).remaining(), 1e-6);
}

TEST(TimeBudget, ASearchAloneHasTheWholeLimit) {
  ManualClock clock;
  EXPECT_EQ(TimeBudget(60, true, {}, clock).search().remaining(), 60);
}

TEST(TimeBudget, TheUsualLimitIsTheOptionsDefault) { EXPECT_EQ(OptimizeOptions().time_limit, kUsualLimit); }

TEST(TimeBudget, LargeWeightsHaveMoreWhereTheUserGaveNoLimit) {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  ManualClock clock;
  TimeBudget usual(kUsualLimit, false, {}, clock), small = usual, given(60, false, {}, clock);
  const double before = usual.begin(Step::kMeasure).remaining();
  EXPECT_EQ(before, given.begin(Step::kMeasure).remaining());
  usual.allow_for(2 * kGiB);
  small.allow_for(kGiB / 2);
  given.allow_for(2 * kGiB);
  EXPECT_NEAR(usual.begin(Step::kReport).remaining(), given.begin(Step::kReport).remaining() + 120, 1e-6);
  EXPECT_EQ(usual.search().remaining(), given.search().remaining());
  EXPECT_EQ(small.begin(Step::kMeasure).remaining(), before);
  EXPECT_EQ(given.begin(Step::kMeasure).remaining(), before);
}

TEST(TimeBudget, AStopEndsTheStepAtWorkOnly) {
  ManualClock clock;
  StopToken stop;
  const TimeBudget time(60, false, stop, clock);
  const Deadline fold = time.begin(Step::kFold);
  const Deadline verify = time.begin(Step::kVerify);
  stop.request();
  EXPECT_TRUE(time.search().passed());
  EXPECT_TRUE(fold.passed());
  EXPECT_FALSE(verify.passed()) << "what is not verified is not written";
  EXPECT_FALSE(time.begin(Step::kMeasure).passed()) << "who interrupted before still wants this";
}

}  // namespace
}  // namespace isomer::recipes
