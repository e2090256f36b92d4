// The laws that choices keep when they are arbitrary functions, and those that they must not seem to have.
#include "eval/random_interpretation.h"

#include <gtest/gtest.h>

#include <limits>

namespace isomer::eval {
namespace {

using enum ir::ScalarOp;

class Interpretation : public testing::Test {
 protected:
  FieldValue number() { return PrimeField::from_hash(++drawn_); }
  RandomInterpretation domain{7};

 private:
  uint64_t drawn_ = 0;
};

TEST_F(Interpretation, ConditionsAreWeights) {
  const FieldValue x = number(), y = number(), k = number();
  const int64_t less = domain.compare(kLess, x, y);
  ASSERT_TRUE(domain.is_token(less));
  EXPECT_EQ(less, domain.compare(kLess, x, y));
  EXPECT_NE(less, domain.compare(kLess, y, x));
  EXPECT_EQ(domain.compare(kLessEqual, y, x), domain.combine(kNot, less, 0));
  EXPECT_EQ(domain.compare(kEqual, x, y), domain.compare(kEqual, y, x));
  EXPECT_EQ(domain.compare(kEqual, x, x), 1);
  // A factor goes into both branches, and a negation exchanges them.
  EXPECT_EQ(domain.mul(domain.choose(less, x, y), k).p,
            domain.choose(less, domain.mul(x, k), domain.mul(y, k)).p);
  EXPECT_EQ(domain.choose(less, x, y).p, domain.choose(domain.combine(kNot, less, 0), y, x).p);
  EXPECT_EQ(domain.choose(less, x, x), x);
  EXPECT_NE(domain.choose(less, x, y), x);
  EXPECT_NE(domain.choose(less, x, y), y);
  // As a number it is what multiplies: less * x + (1 - less) * y.
  const FieldValue one = domain.from_integer(1), weight = domain.from_integer(less);
  EXPECT_EQ(domain.add(domain.mul(weight, x), domain.mul(domain.sub(one, weight), y)).p,
            domain.choose(less, x, y).p);
}

TEST_F(Interpretation, ConditionsAreJoined) {
  const int64_t a = domain.compare(kLess, number(), number()), b = domain.compare(kLess, number(), number());
  const auto negated = [&](int64_t x) { return domain.combine(kNot, x, 0); };
  EXPECT_EQ(domain.combine(kAnd, a, b), domain.combine(kAnd, b, a));
  EXPECT_EQ(domain.combine(kOr, a, b), negated(domain.combine(kAnd, negated(a), negated(b))));
  EXPECT_EQ(domain.combine(kAnd, a, 1), a);
  EXPECT_EQ(domain.combine(kAnd, a, 0), 0);
  EXPECT_EQ(domain.combine(kOr, 0, a), a);
  EXPECT_EQ(domain.combine(kOr, a, 1), 1);
  EXPECT_EQ(domain.combine(kAnd, a, negated(a)), 0);
  EXPECT_EQ(domain.combine(kOr, a, negated(a)), 1);
  EXPECT_NE(domain.combine(kAnd, a, b), domain.combine(kOr, a, b));
  EXPECT_EQ(domain.choose(a, int64_t{1}, int64_t{0}), a);
  EXPECT_EQ(domain.choose(a, int64_t{0}, int64_t{1}), negated(a));
}

TEST_F(Interpretation, RefusesWhatItHasNoRoomFor) {
  domain.less(number(), number());
  EXPECT_TRUE(domain.refused());
  EXPECT_EQ(domain.too_many(), "");
  constexpr int kMost = 100;
  RandomInterpretation other{7, kMost};
  for (int i = 0; i < kMost; ++i) other.compare(kLess, number(), number());
  EXPECT_FALSE(other.refused());
  other.compare(kLess, number(), number());
  EXPECT_TRUE(other.refused());
  EXPECT_EQ(other.too_many(), "conditions and cut numbers");
  RandomInterpretation third{7, kMost}, fourth{7, kMost};
  for (int i = 0; i <= kMost; ++i) {
    third.max(number(), number());
    fourth.binary(ir::ScalarOp::kDiv, number(), number());
  }
  EXPECT_EQ(third.too_many(), "maxima and minima");
  EXPECT_EQ(fourth.too_many(), "divisors");
}

TEST_F(Interpretation, IntegersThatWereNumbersAreNotKnown) {
  const int64_t cut = domain.to_integer(number());
  ASSERT_TRUE(domain.is_token(cut));
  EXPECT_NE(domain.combine(kAbs, cut, 0), cut);
  EXPECT_TRUE(domain.is_token(domain.combine(kEqual, cut, 4711)));
  EXPECT_TRUE(domain.is_token(domain.combine(kAnd, cut, 1)));
  EXPECT_NE(domain.cast(ir::DType::kI8, cut), cut);
  EXPECT_EQ(domain.combine(kAdd, cut, 3), domain.combine(kAdd, 3, cut));
  EXPECT_NE(domain.combine(kSub, cut, 3), domain.combine(kSub, 3, cut));
  EXPECT_FALSE(domain.is_token(4711));
  EXPECT_FALSE(domain.refused());
}

TEST_F(Interpretation, MaximaHaveNoOrder) {
  const FieldValue x = number(), y = number(), z = number();
  const FieldValue all = domain.max(domain.max(x, y), z);
  EXPECT_EQ(all, domain.max(x, domain.max(z, y)));
  EXPECT_EQ(all, domain.max(domain.max(x, z), domain.max(y, x)));
  EXPECT_EQ(all, domain.max(all, y));
  EXPECT_NE(all, domain.max(x, y));
  EXPECT_NE(domain.max(x, y), domain.min(x, y));
  EXPECT_NE(all, x);
  const FieldValue least = domain.constant(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(domain.max(least, x), x);
  // Of more than are listed, too.
  FieldValue up = domain.from_integer(0), down = domain.from_integer(99);
  for (int i = 1; i < 100; ++i) {
    up = domain.max(up, domain.from_integer(i));
    down = domain.max(down, domain.from_integer(99 - i));
  }
  EXPECT_EQ(up, down);
}

TEST_F(Interpretation, SignsAndRoots) {
  const FieldValue x = number(), minus = domain.unary(kNeg, x);
  EXPECT_EQ(domain.unary(kAbs, minus).p, domain.unary(kAbs, x).p);
  EXPECT_EQ(domain.mul(x, domain.unary(kSign, x)).p, domain.unary(kAbs, x).p);
  EXPECT_NE(domain.unary(kAbs, x).p, x.p);
  EXPECT_NE(domain.unary(kAbs, x).p, minus.p);
  EXPECT_EQ(domain.binary(kPow, x, domain.constant(0.5)).p, domain.unary(kSqrt, x).p);
  EXPECT_EQ(domain.unary(kSign, domain.constant(0)).p, 0u);
}

}  // namespace
}  // namespace isomer::eval
