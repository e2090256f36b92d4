#include "support/limits.h"

#include <gtest/gtest.h>

#include <set>

#include "support/rng.h"

namespace isomer {
namespace {

TEST(LimitWatch, StopsForTheFirstReasonAndStaysStopped) {
  Limits limits;
  limits.nodes = 10;
  LimitWatch watch(limits);
  EXPECT_EQ(watch.check(10), StopReason::kRunning);
  EXPECT_EQ(watch.check(11), StopReason::kNodeLimit);
  limits.stop.request();
  EXPECT_EQ(watch.check(0), StopReason::kNodeLimit);
}

TEST(LimitWatch, SeesTimeMemoryIterationsAndInterrupts) {
  Limits limits;
  limits.seconds = 0;
  EXPECT_EQ(LimitWatch(limits).check_now(), StopReason::kTimeLimit);
  limits = {};
  limits.memory_bytes = 1;
  EXPECT_EQ(LimitWatch(limits).check_now(), StopReason::kMemoryLimit);
  limits = {};
  limits.iterations = 3;
  EXPECT_EQ(LimitWatch(limits).check_now(0, 4), StopReason::kIterationLimit);
  limits = {};
  StopToken handle = limits.stop;
  LimitWatch watch(limits);
  EXPECT_EQ(watch.check_now(), StopReason::kRunning);
  handle.request();
  EXPECT_EQ(watch.check_now(), StopReason::kInterrupted);
}

TEST(Rng, StaysInRangeAndRepeats) {
  Rng a(7), b(7), c(8);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const int64_t x = a.between(-3, 3);
    EXPECT_EQ(x, b.between(-3, 3));
    EXPECT_GE(x, -3);
    EXPECT_LE(x, 3);
    seen.insert(static_cast<uint64_t>(x + 3));
  }
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_NE(Rng(7).next(), c.next());
}

}  // namespace
}  // namespace isomer
