#include "eval/outcome.h"

#include <gtest/gtest.h>

namespace isomer::eval {
namespace {

/// Ends so, by the exception that evaluations end so with.
int ending(Ended how) {
  switch (how) {
    case Ended::kDone: break;
    case Ended::kOutOfBounds: throw ReadOutOfBounds("element 7");
    case Ended::kBudget: throw SampleBudgetSpent();
    case Ended::kTime: throw EvaluationCut();
    case Ended::kNoMeaning: throw InputError("no meaning");
  }
  return 1;
}
constexpr Ended kAll[] = {Ended::kDone, Ended::kOutOfBounds, Ended::kBudget, Ended::kTime, Ended::kNoMeaning};

TEST(Outcome, EachEndingIsTold) {
  for (const Ended how : kAll) {
    const auto seen = outcome_of([&] { return ending(how); });
    EXPECT_EQ(seen.ended, how);
    EXPECT_EQ(bool(seen), how == Ended::kDone);
    EXPECT_EQ(seen.why.empty(), how == Ended::kDone);
  }
  EXPECT_EQ(outcome_of([&] { return ending(Ended::kOutOfBounds); }).why, "element 7");
}

TEST(Outcome, OfWhatReturnsNothingItIsToldToo) {
  EXPECT_TRUE(outcome_of([] {}));
  EXPECT_EQ(outcome_of([] { ending(Ended::kTime); }).ended, Ended::kTime);
}

TEST(Outcome, WhatIsNoAnswerGoesOn) {
  for (const Ended how : kAll) {
    const auto asked = [&] { return outcome_of<Ended::kBudget>([&] { return ending(how); }).ended; };
    if (how == Ended::kDone || how == Ended::kBudget)
      EXPECT_EQ(asked(), how);
    else
      EXPECT_ANY_THROW(asked());
  }
  EXPECT_THROW(outcome_of<Ended::kNoMeaning>([] { return ending(Ended::kOutOfBounds); }), ReadOutOfBounds);
  EXPECT_THROW(outcome_of([]() -> int { throw VerificationError("a bug"); }), VerificationError);
}

}  // namespace
}  // namespace isomer::eval
