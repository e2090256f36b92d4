#include "support/deadline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/cpu_clock.h"

namespace isomer {
namespace {

TEST(Deadline, PassesOnTheClockThatItWasGiven) {
  ManualClock clock;
  clock.advance(1000);
  const Deadline deadline(10, clock);
  EXPECT_EQ(deadline.remaining(), 10);
  clock.advance(9.5);
  EXPECT_FALSE(deadline.passed());
  EXPECT_EQ(deadline.reason(), StopReason::kRunning);
  clock.advance(0.5);
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.reason(), StopReason::kTimeLimit);
  clock.advance(100);
  EXPECT_EQ(deadline.remaining(), 0);
}

TEST(Deadline, ProcessorTimeStandsStillBesideOthersAndIsEndedByTheClock) {
  ManualClock wall;
  const CpuClock clock(Deadline(10, wall));
  const Deadline deadline(1000, clock);
  wall.advance(9);
  EXPECT_FALSE(deadline.passed());
  EXPECT_GT(deadline.remaining(), 900);
  wall.advance(1);
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.remaining(), 0);
}

TEST(Deadline, AStopEndsItAtOnce) {
  ManualClock clock;
  StopToken stop;
  const Deadline deadline(10, clock, stop);
  const Deadline heedless = deadline.with(StopToken());
  stop.request();
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.reason(), StopReason::kInterrupted);
  EXPECT_EQ(deadline.remaining(), 10) << "what is left is a matter of the clock alone";
  EXPECT_FALSE(heedless.passed());
}

TEST(Deadline, APartEndsSooner) {
  ManualClock clock;
  const Deadline whole(10, clock);
  EXPECT_EQ(whole.part(0.5).remaining(), 5);
  EXPECT_EQ(whole.part(0.5, 2).remaining(), 2);
  EXPECT_EQ(whole.part(3).remaining(), 10) << "never later than the whole";
  clock.advance(6);
  EXPECT_EQ(whole.part(0.5).remaining(), 2) << "of what is left when it begins";
}

TEST(Deadline, NeverIsTheDefault) {
  const Deadline never;
  EXPECT_FALSE(never.passed());
  EXPECT_TRUE(std::isinf(never.remaining()));
  EXPECT_EQ(never.part(0.5, 3).passed(), false);
  EXPECT_LE(never.part(0.5, 3).remaining(), 3);
}

}  // namespace
}  // namespace isomer
