// Both precisions of one domain: where they round, and what they count.
#include "eval/float_domain.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace isomer::eval {
namespace {

TEST(FloatDomain, EveryStepOfSinglePrecisionIsRounded) {
  const Float32 narrow;
  const Float64 wide;
  EXPECT_EQ(narrow.add(1, 0x1p-30), 1);
  EXPECT_EQ(wide.add(1, 0x1p-30), 1 + 0x1p-30);
  EXPECT_EQ(narrow.constant(0.1), static_cast<double>(0.1F));
  EXPECT_EQ(narrow.mul(1e30, 1e30), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(wide.mul(1e30, 1e30), 1e60, 1e45);
  EXPECT_EQ(narrow.unary(ir::ScalarOp::kSqrt, 2), static_cast<double>(std::sqrt(2.0F)));
  EXPECT_EQ(narrow.cast(ir::DType::kF64, 0.1), static_cast<double>(0.1F));
}

TEST(FloatDomain, IntegersAreRoundedOnce) {
  // Halfway between two float32 but for its last bit, which a double does not hold.
  constexpr int64_t kPastHalf = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(Float32().from_integer(kPastHalf), 0x1p60 + 0x1p37);
  EXPECT_EQ(static_cast<float>(static_cast<double>(kPastHalf)), 0x1p60F);
}

template <class Domain>
void counts_what_has_no_value() {
  const Domain domain;
  EXPECT_EQ(domain.to_integer(3.9), 3);
  EXPECT_EQ(domain.undefined, 0U);
  EXPECT_EQ(domain.to_integer(1e30), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(domain.to_integer(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(domain.undefined, 2U);
  domain.unary(ir::ScalarOp::kExp, -700);
  EXPECT_EQ(domain.vanished, 1U);
}

TEST(FloatDomain, CastsOutOfRangeAreCounted) {
  counts_what_has_no_value<Float64>();
  counts_what_has_no_value<Float32>();
}

}  // namespace
}  // namespace isomer::eval
