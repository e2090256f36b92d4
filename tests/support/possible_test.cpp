#include "support/possible.h"

#include <gtest/gtest.h>

namespace isomer {
namespace {

TEST(Possible, ABadInputAndANameThatIsNotThereAreAnswers) {
  EXPECT_EQ(*possible([] { return 3; }), 3);
  const auto bad = possible([]() -> int { throw InputError({"a.txt", 2, 5}, "expected a number"); });
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.why_not, "a.txt:2:5: expected a number");
  EXPECT_EQ(possible([]() -> int { throw UsageError("no such dimension"); }).why_not, "no such dimension");
}

TEST(Possible, OtherFailuresGoOn) {
  EXPECT_THROW(possible([]() -> int { throw VerificationError("different"); }), VerificationError);
  EXPECT_THROW(possible([]() -> int { throw MissingRuntimeError("not there"); }), MissingRuntimeError);
  EXPECT_THROW(possible([]() -> int { throw MisuseError("a bug"); }), MisuseError);
}

}  // namespace
}  // namespace isomer
