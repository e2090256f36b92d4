#include "report/gains.h"

#include <gtest/gtest.h>

#include <cmath>

namespace isomer::report {
namespace {

RunRecord record_of(const std::vector<std::pair<std::string, std::string>>& steps) {
  RunRecord out;
  for (const auto& [rule, aim] : steps) {
    RewriteEntry entry;
    entry.rule = rule;
    entry.aim = aim;
    out.chain.push_back(entry);
  }
  return out;
}

TEST(Gains, StepsAreGroupedByWhatTheyAchieve) {
  RunRecord record =
      record_of({{"a", "signs cancel"}, {"b", "sums move"}, {"a", "signs cancel"}, {"c", "signs cancel"}});
  record.numbers["saved: signs cancel"] = 1;
  record.numbers["saved: sums move"] = 3;
  const std::vector<Gain> found = gains(record);
  ASSERT_EQ(found.size(), 2U);
  // What is worth most comes first.
  EXPECT_EQ(found[0].what, "sums move");
  EXPECT_EQ(found[1].steps, 3U);
  EXPECT_EQ(found[1].rules, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(
      why(found, 10),
      "Sums move (1 step; without it the cost would be 30 % higher); signs cancel (3 steps; without them "
      "the cost would be 10 % higher)");
}

TEST(Gains, WhatIsWorthLittleIsNotNamed) {
  RunRecord record = record_of({{"a", "signs cancel"}, {"b", "sums move"}});
  record.numbers["saved: signs cancel"] = 5;
  record.numbers["saved: sums move"] = 0.5;
  EXPECT_EQ(why(gains(record), 10), "Signs cancel (1 step; without it the cost would be 50 % higher)");
  EXPECT_EQ(why({}, 10), "");
}

TEST(Gains, WhatIsWorthTwiceTheCostAndMoreIsSaidAsATimes) {
  RunRecord record = record_of({{"a", "signs cancel"}});
  const auto said = [&](double saved) {
    record.numbers["saved: signs cancel"] = saved;
    return why(gains(record), 1);
  };
  EXPECT_EQ(said(0.9951), "Signs cancel (1 step; without it the cost would be 100 % higher)");
  EXPECT_EQ(said(1.034), "Signs cancel (1 step; without it the cost would be 2 times as high)");
  EXPECT_EQ(said(1.5), "Signs cancel (1 step; without it the cost would be 2.5 times as high)");
  EXPECT_EQ(said(140.05), "Signs cancel (1 step; without it the cost would be 141 times as high)");
}

TEST(Gains, WhatWasNotDeterminedComesLast) {
  RunRecord record = record_of({{"a", "signs cancel"}, {"b", "sums move"}});
  record.numbers["saved: sums move"] = 0;
  const std::vector<Gain> found = gains(record);
  EXPECT_EQ(found[0].what, "sums move");
  EXPECT_TRUE(std::isnan(found[1].saved));
  EXPECT_EQ(why(found, 10), "Sums move (1 step)");
}

}  // namespace
}  // namespace isomer::report
