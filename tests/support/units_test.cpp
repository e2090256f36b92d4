#include "support/units.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace isomer {
namespace {

TEST(Units, ReadsDurations) {
  EXPECT_DOUBLE_EQ(parse_seconds("90"), 90);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5m"), 90);
  EXPECT_DOUBLE_EQ(parse_seconds("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(parse_seconds("2h"), 7200);
}

TEST(Units, ReadsSizes) {
  EXPECT_EQ(parse_bytes("4GiB"), uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("500MB"), 500'000'000u);
  EXPECT_EQ(parse_bytes("17"), 17u);
}

TEST(Units, RefusesWhatIsNoQuantity) {
  for (const char* text : {"", "s", "-3s", "3 parsecs", "3sec", "nan"})
    EXPECT_THROW(parse_seconds(text), UsageError) << text;
  for (const char* text : {"", "GiB", "-1", "4Gib", "inf", "nan", "1e30", "1e9TiB"})
    EXPECT_THROW(parse_bytes(text), UsageError) << text;
  try {
    parse_seconds("soon");
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "'soon' is no duration: expected a number with a unit, for example 90s or 2m");
    EXPECT_EQ(error.status(), ExitStatus::kUsage);
  }
}

TEST(Units, Prints) {
  EXPECT_EQ(format_seconds(0.00312), "3.12 ms");
  EXPECT_EQ(format_seconds(12e-6), "12.0 us");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(7), "7 B");
}

}  // namespace
}  // namespace isomer
