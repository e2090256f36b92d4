#include "runtime/timing_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/errors.h"
#include "support/rng.h"

namespace isomer::runtime {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), 1);
  return out;
}

TEST(Median, OddEvenAndUnsorted) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{3}), 3);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{9, 1, 4}), 4);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{4, 1, 9, 2}), 3);
  EXPECT_THROW(median(std::vector<double>{}), MisuseError);
}

// Ranks from the published tables of the sign-test interval (Conover, Practical Nonparametric Statistics).
TEST(MedianInterval, RanksOfTheTables) {
  const std::pair<int, int> expected[] = {{6, 1},  {8, 1},  {9, 2},  {10, 2},  {11, 2},  {12, 3},
                                          {15, 4}, {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
  for (const auto& [n, rank] : expected) {
    const MedianInterval got = median_interval(one_to(n));
    EXPECT_EQ(got.low, rank) << n;
    EXPECT_EQ(got.high, n + 1 - rank) << n;
  }
}

TEST(MedianInterval, TooFewValuesSayNothing) {
  const MedianInterval got = median_interval(one_to(5));
  EXPECT_EQ(got.median, 3);
  EXPECT_EQ(got.low, 0);
  EXPECT_TRUE(std::isinf(got.high));
}

TEST(MedianInterval, CoversTheTrueMedianAboutAsOftenAsItSays) {
  Rng rng(7);
  int covered = 0;
  constexpr int kTrials = 4000;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<double> values(21);
    for (double& v : values) v = -std::log(1 - rng.uniform());  // exponential: median ln 2
    const MedianInterval got = median_interval(values);
    covered += got.low <= std::log(2.0) && std::log(2.0) <= got.high;
  }
  const double share = static_cast<double>(covered) / kTrials;
  EXPECT_GT(share, 0.95 - 0.01);  // exact coverage for n = 21 is 0.973
  EXPECT_LT(share, 0.99);
}

TEST(PairUp, RatiosArePairedNotPooled) {
  // Both drift by a factor of 10, the candidate is always 2 times as fast: pooled medians would hide that.
  Samples a, b;
  for (int i = 0; i < 12; ++i) {
    const double drift = i < 6 ? 1 : 10;
    a.wall_ms.push_back(2 * drift * (1 + 0.01 * i));
    b.wall_ms.push_back(drift * (1 + 0.01 * i));
    a.cpu_ms.push_back(3);
    b.cpu_ms.push_back(4);
  }
  const PairedTiming timing = pair_up(a, b);
  EXPECT_NEAR(timing.wall_ratio.median, 2, 1e-12);
  EXPECT_NEAR(timing.wall_ratio.low, 2, 1e-12);
  EXPECT_NEAR(timing.cpu_ratio.high, 0.75, 1e-12);
  EXPECT_TRUE(timing.faster());
  EXPECT_EQ(timing.rounds, 12);
  EXPECT_DOUBLE_EQ(timing.candidate.min_wall_ms, 1);
  EXPECT_FALSE(pair_up(b, a).faster());
  EXPECT_THROW(pair_up(a, Samples{{1}, {1}, {}}), MisuseError);
}

// Layout luck: within a load the candidate is 1 % faster or slower throughout, with hardly any noise.
TEST(PairUp, ALoadIsOnePieceOfEvidence) {
  Rng rng(11);
  int wrong = 0;
  for (int t = 0; t < 300; ++t) {
    Samples a, b;
    for (int load = 0; load < 12; ++load) {
      const double luck = 1 + 0.01 * (2 * rng.uniform() - 1);
      for (int i = 0; i < 20; ++i) {
        a.wall_ms.push_back(luck + 1e-4 * rng.uniform());
        b.wall_ms.push_back(1 + 1e-4 * rng.uniform());
        a.load.push_back(load);
      }
    }
    b.load = a.load;
    a.cpu_ms = a.wall_ms;
    b.cpu_ms = b.wall_ms;
    const PairedTiming timing = pair_up(a, b);
    EXPECT_EQ(timing.loads, 12);
    EXPECT_EQ(timing.rounds, 240);
    wrong += timing.faster();
  }
  EXPECT_LT(wrong, 300 * 0.04);
}

/// So many rounds in each of the loads, the candidate `ratio` times as fast.
std::pair<Samples, Samples> rounds(int loads, int of_each, double ratio) {
  Samples a, b;
  for (int i = 0; i < loads * of_each; ++i) {
    a.wall_ms.push_back(ratio);
    b.wall_ms.push_back(1);
    a.load.push_back(i / of_each);
  }
  b.load = a.load;
  a.cpu_ms = a.wall_ms;
  b.cpu_ms = b.wall_ms;
  return {a, b};
}

// A timing that was ended early: the pairs at hand decide, with room for the luck of the few loads.
TEST(PairUp, TheIntervalOfFewLoadsIsThatOfTheirRoundsAndWider) {
  const auto [a, b] = rounds(3, 10, 1.558);
  const PairedTiming timing = pair_up(a, b);
  EXPECT_TRUE(timing.widened);
  EXPECT_EQ(timing.loads, 3);
  EXPECT_EQ(timing.rounds, 30);
  EXPECT_DOUBLE_EQ(timing.cpu_ratio.median, 1.558);
  EXPECT_DOUBLE_EQ(timing.cpu_ratio.low, 1.558 * (1 - kLoadLuck));
  EXPECT_DOUBLE_EQ(timing.cpu_ratio.high, 1.558 * (1 + kLoadLuck));
  EXPECT_TRUE(timing.faster());
}

TEST(PairUp, WhatTheLuckOfALoadMayBeIsNotFaster) {
  const auto [a, b] = rounds(5, 10, 1 + kLoadLuck);
  EXPECT_FALSE(pair_up(a, b).faster());
  const auto [c, d] = rounds(6, 10, 1 + kLoadLuck);
  EXPECT_TRUE(pair_up(c, d).faster()) << "six loads are evidence by themselves";
  EXPECT_FALSE(pair_up(c, d).widened);
}

TEST(PairUp, FewPairsSayNothing) {
  const auto [a, b] = rounds(1, 5, 2);
  const PairedTiming timing = pair_up(a, b);
  EXPECT_EQ(timing.wall_ratio.low, 0);
  EXPECT_TRUE(std::isinf(timing.wall_ratio.high));
  EXPECT_FALSE(timing.faster());
  const auto [c, d] = rounds(1, 6, 2);
  EXPECT_TRUE(pair_up(c, d).faster());
}

TEST(PairUp, EqualProgramsAreNotFaster) {
  Rng rng(3);
  int wrong = 0;
  for (int t = 0; t < 400; ++t) {
    Samples a, b;
    for (int i = 0; i < 15; ++i) {
      a.wall_ms.push_back(1 + rng.uniform());
      b.wall_ms.push_back(1 + rng.uniform());
    }
    a.cpu_ms = a.wall_ms;
    b.cpu_ms = b.wall_ms;
    wrong += pair_up(a, b).faster();
  }
  EXPECT_LT(wrong, 400 * 0.04);  // one side of 95 %: 2.5 % at most
}

}  // namespace
}  // namespace isomer::runtime
