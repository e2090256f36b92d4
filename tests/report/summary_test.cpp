#include "report/summary.h"

#include <gtest/gtest.h>

namespace isomer::report {
namespace {

TEST(Summary, NamesTheCauseThatTheReaderHasFirst) {
  OptimizeResult result;
  result.opaque_operators = {{"Add", 1}, {"Resize", 1}};
  EXPECT_EQ(summary(result).find("cause"), std::string::npos);
  // Its words do not make it a consequence: an attribute is nobody else's.
  result.warnings = {"graph output 'y': declared as f32[3], but its value is f32[4]",
                     "1 x opaque Resize: an attribute is not known",
                     "1 x opaque Add: operand 0: expected numbers, got opaque types"};
  EXPECT_NE(summary(result).find("Add, Resize (the first cause: Resize: an attribute is not known)"),
            std::string::npos)
      << summary(result);
}

}  // namespace
}  // namespace isomer::report
