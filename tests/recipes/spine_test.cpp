#include "recipes/spine.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace isomer::recipes {
namespace {

TEST(Spine, FilesEachStepWithItsOutcome) {
  RunRecord record;
  Spine spine(record, silent_progress(), {});
  int ran = 0;
  spine.step("one", "", [&] {
    ++ran;
    return "";
  });
  spine.step("two", "no runtime", [&] {
    ++ran;
    return "";
  });
  spine.step("three", "", [&] {
    ++ran;
    return "stopped: time-limit";
  });
  EXPECT_EQ(ran, 2);
  ASSERT_EQ(record.phases.size(), 3u);
  EXPECT_EQ(record.phases[0].outcome, "done");
  EXPECT_EQ(record.phases[1].outcome, "skipped: no runtime");
  EXPECT_EQ(record.phases[2].outcome, "stopped: time-limit");
}

TEST(Spine, FilesAFailureAndLetsItPass) {
  RunRecord record;
  Spine spine(record, silent_progress(), {});
  EXPECT_THROW(spine.step("bad", "", []() -> std::string { throw std::runtime_error("no"); }),
               std::runtime_error);
  ASSERT_EQ(record.phases.size(), 1u);
  EXPECT_EQ(record.phases[0].outcome, "failed: no");
}

TEST(Spine, KnowsTheStepThatAStopEnded) {
  RunRecord record;
  Limits limits;
  Spine spine(record, silent_progress(), limits);
  spine.step("one", "", [] { return ""; });
  EXPECT_EQ(spine.interrupted(), "");
  spine.step("two", "", [&] {
    limits.stop.request();
    return "";
  });
  spine.step("three", "", [] { return ""; });
  EXPECT_EQ(spine.interrupted(), "two");
}

TEST(Spine, TimeForSearchingIsThatOfTheDeadline) {
  RunRecord record;
  ManualClock clock;
  Limits limits;
  limits.seconds = 100;
  Spine spine(record, silent_progress(), limits, Deadline(20, clock));
  clock.advance(5);
  EXPECT_EQ(spine.remaining(), 15);
}

TEST(Spine, KeepsImprovementsInOrder) {
  RunRecord record;
  Spine spine(record, silent_progress(), {});
  spine.improved("original", 3);
  spine.improved("extracted", 2);
  ASSERT_EQ(record.steps.size(), 2u);
  EXPECT_EQ(record.steps[1].cost, 2);
  EXPECT_LE(record.steps[0].seconds, record.steps[1].seconds);
}

}  // namespace
}  // namespace isomer::recipes
