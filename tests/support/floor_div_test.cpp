#include "support/floor_div.h"

#include <gtest/gtest.h>

#include <limits>

namespace isomer {
namespace {

TEST(FloorDiv, RoundsDownAndLeavesWhatIsBelowTheDivisor) {
  for (int64_t a = -20; a <= 20; ++a)
    for (const int64_t b : {-7, -3, -1, 1, 2, 3, 7}) {
      const int64_t q = floor_div(a, b), r = floor_mod(a, b);
      EXPECT_EQ(q * b + r, a);
      EXPECT_TRUE(b > 0 ? 0 <= r && r < b : b < r && r <= 0) << a << " by " << b;
    }
}

TEST(FloorDiv, OfTheLeastNumber) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  static_assert(floor_mod(kLeast, 3) == 1);
  static_assert(floor_div(kLeast, 3) == kLeast / 3 - 1);
  static_assert(floor_mod(kLeast, 2) == 0);
}

}  // namespace
}  // namespace isomer
