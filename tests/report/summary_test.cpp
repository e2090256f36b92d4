#include "report/summary.h"

#include <gtest/gtest.h>

namespace isomer::report {
namespace {

TEST(Summary, NamesTheCauseThatTheReaderHasFirst) {
  OptimizeResult result;
  result.opaque_operators = {{"Add", 1}, {"Resize", 1}};
  EXPECT_EQ(summary(result).find("cause"), std::string::npos);
  // Its words do not make it a consequence: an attribute is nobody else's.
  result.first_cause = "Resize: an attribute is not known";
  EXPECT_NE(summary(result).find("Add, Resize (the first cause: Resize: an attribute is not known)"),
            std::string::npos)
      << summary(result);
}

TEST(Summary, WhatWasFasterAndDroppedIsNoLackOfCertainty) {
  OptimizeResult result;
  result.written = result.rules_unchecked = true;
  result.speedup = 1.192, result.speedup_low = 1.109, result.speedup_high = 1.272;
  result.why_original = "no time was left to check every rewrite";
  EXPECT_NE(
      summary(result).find("although what was found ran 1.192 times as fast (95 % interval 1.109 to "
                           "1.272): no time was left to check every rewrite.\nTo try: a longer --time-limit"),
      std::string::npos)
      << summary(result);
  result.speedup_low = 0.992;
  EXPECT_NE(summary(result).find("No gain is certain"), std::string::npos) << summary(result);
  EXPECT_EQ(summary(result).find("--time-limit"), std::string::npos) << summary(result);
}

}  // namespace
}  // namespace isomer::report
