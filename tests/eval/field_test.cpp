// The prime field, against arithmetic in 128 bits written here.
#include "eval/field.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "support/rng.h"

namespace isomer::eval {
namespace {

using ir::ScalarOp;
__extension__ using Wide = unsigned __int128;

uint64_t mul(uint64_t a, uint64_t b, uint64_t m) {
  return static_cast<uint64_t>(static_cast<Wide>(a) * b % m);
}
uint64_t power(uint64_t base, uint64_t e, uint64_t m) {
  uint64_t r = 1;
  for (; e > 0; e >>= 1, base = mul(base, base, m))
    if (e & 1) r = mul(r, base, m);
  return r;
}

/// Miller-Rabin with bases that are exact below 2^64.
bool is_prime(uint64_t n) {
  uint64_t d = n - 1;
  int r = 0;
  for (; d % 2 == 0; d /= 2) ++r;
  for (uint64_t a : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    uint64_t x = power(a, d, n);
    if (x == 1 || x == n - 1) continue;
    bool composite = true;
    for (int i = 1; i < r && composite; ++i) {
      x = mul(x, x, n);
      composite = x != n - 1;
    }
    if (composite) return false;
  }
  return true;
}

TEST(Field, IsASafePrime) {
  EXPECT_EQ(kFieldP, 2 * kFieldQ + 1);
  EXPECT_TRUE(is_prime(kFieldP));
  EXPECT_TRUE(is_prime(kFieldQ));
  EXPECT_EQ(kFieldP % 4, 3u);
  EXPECT_EQ(power(4, kFieldQ, kFieldP), 1u);
}

class FieldLaws : public testing::Test {
 protected:
  PrimeField field{7};
  Rng rng{3};
  FieldValue any() { return PrimeField::from_hash(rng.next()); }
  FieldValue un(ScalarOp op, FieldValue a) { return field.unary(op, a); }
  FieldValue bin(ScalarOp op, FieldValue a, FieldValue b) { return field.binary(op, a, b); }
};

TEST_F(FieldLaws, ArithmeticIsModular) {
  for (int i = 0; i < 200; ++i) {
    const FieldValue a = any(), b = any();
    EXPECT_EQ(field.add(a, b).p, (static_cast<Wide>(a.p) + b.p) % kFieldP);
    EXPECT_EQ(field.add(a, b).q, (static_cast<Wide>(a.q) + b.q) % kFieldQ);
    EXPECT_EQ(field.mul(a, b).p, mul(a.p, b.p, kFieldP));
    EXPECT_EQ(field.mul(a, b).q, mul(a.q, b.q, kFieldQ));
    EXPECT_EQ(field.add(field.sub(a, b), b), a);
    EXPECT_EQ(field.mul(bin(ScalarOp::kDiv, a, b), b), a);
  }
  const FieldValue largest = {kFieldP - 1, kFieldQ - 1};
  EXPECT_EQ(field.mul(largest, largest), (FieldValue{1, 1}));
}

TEST_F(FieldLaws, ConstantsAreExactDyadicRationals) {
  EXPECT_EQ(field.constant(3), field.from_integer(3));
  EXPECT_EQ(field.constant(-7), field.from_integer(-7));
  EXPECT_EQ(field.mul(field.constant(0.375), field.from_integer(8)), field.from_integer(3));
  EXPECT_EQ(field.constant(0), (FieldValue{0, 0}));
}

TEST_F(FieldLaws, ExponentialsTurnSumsIntoProducts) {
  for (int i = 0; i < 20; ++i) {
    const FieldValue a = any(), b = any();
    EXPECT_EQ(un(ScalarOp::kExp, field.add(a, b)).p,
              field.mul(un(ScalarOp::kExp, a), un(ScalarOp::kExp, b)).p);
    EXPECT_NE(un(ScalarOp::kExp, a).p, un(ScalarOp::kExp, b).p);
    EXPECT_FALSE(un(ScalarOp::kExp, a).has_q());
  }
  EXPECT_EQ(un(ScalarOp::kExp, field.constant(0)).p, 1u);
  EXPECT_EQ(un(ScalarOp::kExp, field.constant(-std::numeric_limits<double>::infinity())).p, 0u);
}

TEST_F(FieldLaws, RootsSignsAndAbsoluteValues) {
  for (int i = 0; i < 20; ++i) {
    const FieldValue a = any(), b = any();
    EXPECT_EQ(un(ScalarOp::kSqrt, field.mul(a, a)).p, un(ScalarOp::kAbs, a).p);
    EXPECT_EQ(un(ScalarOp::kSqrt, field.mul(a, b)).p,
              field.mul(un(ScalarOp::kSqrt, a), un(ScalarOp::kSqrt, b)).p);
    EXPECT_EQ(un(ScalarOp::kAbs, un(ScalarOp::kNeg, a)).p, un(ScalarOp::kAbs, a).p);
    const uint64_t sign = un(ScalarOp::kSign, a).p;
    EXPECT_TRUE(sign == 1 || sign == kFieldP - 1);
  }
}

TEST_F(FieldLaws, TheOrderIsTotal) {
  for (int i = 0; i < 50; ++i) {
    const FieldValue a = any(), b = any(), c = any();
    EXPECT_NE(field.less(a, b), field.less(b, a));
    EXPECT_EQ(field.max(a, field.max(b, c)), field.max(field.max(a, b), c));
    EXPECT_EQ(field.max(a, field.min(a, b)), a);
    EXPECT_EQ(field.max(a, field.constant(-std::numeric_limits<double>::infinity())), a);
  }
}

TEST_F(FieldLaws, PowersAreProducts) {
  const FieldValue a = any();
  EXPECT_EQ(bin(ScalarOp::kPow, a, field.constant(3)), field.mul(a, field.mul(a, a)));
  EXPECT_EQ(field.mul(bin(ScalarOp::kPow, a, field.constant(-2)), field.mul(a, a)), field.constant(1));
  EXPECT_EQ(bin(ScalarOp::kPow, a, field.constant(0.5)).p, un(ScalarOp::kSqrt, a).p);
}

TEST_F(FieldLaws, OtherFunctionsAreFixedAndDifferent) {
  const FieldValue a = any(), b = any();
  EXPECT_EQ(un(ScalarOp::kErf, a), un(ScalarOp::kErf, a));
  EXPECT_NE(un(ScalarOp::kErf, a), un(ScalarOp::kErf, b));
  EXPECT_NE(un(ScalarOp::kErf, a), un(ScalarOp::kTanh, a));
  EXPECT_NE(field.inexact() >> static_cast<int>(ScalarOp::kErf) & 1, 0u);
  EXPECT_NE(un(ScalarOp::kErf, a), PrimeField(8).unary(ScalarOp::kErf, a));
}

TEST_F(FieldLaws, PowersAreThoseThatItSaysAreLawful) {
  const FieldValue a = any(), b = any();
  const auto multiplicative = [&](double exponent) {
    const FieldValue e = field.constant(exponent);
    return bin(ScalarOp::kPow, bin(ScalarOp::kMul, a, b), e).p ==
           bin(ScalarOp::kMul, bin(ScalarOp::kPow, a, e), bin(ScalarOp::kPow, b, e)).p;
  };
  for (double e : {0.0, 1.0, 2.0, 64.0, -1.0, -64.0, 0.5, -0.5, 65.0, -65.0, 1.5, 0.25, 1e9})
    EXPECT_EQ(multiplicative(e), PrimeField::lawful_exponent(e)) << e;
}

TEST_F(FieldLaws, TheRootOfUnityIsRandom) {
  // With a fixed one some constant would pass for exp(1).
  const FieldValue one = field.constant(1);
  EXPECT_NE(un(ScalarOp::kExp, one), PrimeField(8).unary(ScalarOp::kExp, one));
  EXPECT_EQ(power(un(ScalarOp::kExp, one).p, kFieldQ, kFieldP), 1u);
}

TEST_F(FieldLaws, ADivisionByZeroIsRemembered) {
  bin(ScalarOp::kDiv, any(), any());
  EXPECT_FALSE(field.divided_by_zero());
  bin(ScalarOp::kDiv, any(), {5, 0});  // of exponents
  EXPECT_TRUE(field.divided_by_zero());
  PrimeField other;
  other.binary(ScalarOp::kDiv, any(), {0, FieldValue::kNone});
  EXPECT_TRUE(other.divided_by_zero());
}

/// All elements of a small field.
template <class Primes>
void expect_small_field() {
  constexpr uint64_t p = Primes::kP, q = Primes::kQ;
  EXPECT_TRUE(is_prime(p) && is_prime(q) && p == 2 * q + 1);
  FieldOver<Primes> field(3);
  for (uint64_t a = 0; a < p; ++a)
    for (uint64_t b = 0; b < p; ++b) {
      const FieldValue x{a, a % q}, y{b, b % q};
      EXPECT_EQ(field.add(x, y), (FieldValue{(a + b) % p, (a % q + b % q) % q}));
      EXPECT_EQ(field.mul(x, y), (FieldValue{a * b % p, (a % q) * (b % q) % q}));
      EXPECT_EQ(field.add(field.sub(x, y), y), x);
      if (b % q != 0) {
        EXPECT_EQ(field.mul(field.binary(ScalarOp::kDiv, x, y), y), x);
      }
      EXPECT_EQ(field.unary(ScalarOp::kExp, field.add(x, y)).p,
                field.unary(ScalarOp::kExp, x).p * field.unary(ScalarOp::kExp, y).p % p);
    }
  EXPECT_EQ(field.mul(field.constant(0.375), field.from_integer(8)), field.from_integer(3));
}

TEST(SmallFields, AreFields) {
  expect_small_field<PaperPrimes>();
  expect_small_field<PublicCodePrimes>();
}

TEST(SmallFields, ThePublicCodesDepartures) {
  FieldOver<PublicCodePrimes> field(5);
  EXPECT_EQ(field.unary(ScalarOp::kExp, field.from_integer(2)), (FieldValue{9, 0}));  // 3^2
  EXPECT_EQ(field.unary(ScalarOp::kExp, field.unary(ScalarOp::kExp, field.from_integer(2))).p, 1u);
  EXPECT_EQ(field.binary(ScalarOp::kDiv, {7, 7}, {0, 0}), (FieldValue{7, 7}));
  const FieldValue root = field.unary(ScalarOp::kSqrt, {4, 4});
  EXPECT_EQ(field.mul(root, root), (FieldValue{4, 4}));
}

TEST(SmallFields, TheRootOfUnityIsAnyOfThem) {
  std::set<uint64_t> roots;
  for (uint64_t seed = 0; seed < 2000; ++seed)
    roots.insert(FieldOver<PaperPrimes>(seed).unary(ScalarOp::kExp, {0, 1}).p);
  EXPECT_EQ(roots.size(), 113u);
}

TEST_F(FieldLaws, NoInfinityOrNaNIsAFieldElement) {
  EXPECT_TRUE(field.is_inf(field.constant(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(field.is_nan(field.add(field.constant(std::numeric_limits<double>::quiet_NaN()), any())));
}

}  // namespace
}  // namespace isomer::eval
