// Prime fields as value domains: random testing of identities instead of floating-point comparison.
//
// Schwartz (1980), Zippel (1979): two different rational functions of total degree d agree at a uniformly
// random point with probability at most d/p. Wang et al. (Mirage, OSDI 2025) carry exp along by giving a
// value two parts, one modulo p and one modulo q with q | p - 1: exp(v) = w^(q-part) with w a random q-th
// root of unity, so that exp(a + b) = exp(a) exp(b). Theirs are two primes of 8 bits; ours is one safe prime
// p = 2q + 1 just below 2^61, so that one test already errs with probability about 2^-60 a degree, and since
// p = 3 mod 4 square roots are a power: sqrt(x) = x^((p+1)/4), sign(x) = the quadratic character, |x| =
// x sign(x). These are multiplicative like the real ones, and sqrt(x^2) = |x|.
//
// An exponential has no q-part; exp of such a value, and every function without a field meaning (erf, log,
// floor, remainders ...), is a fixed random function of the argument: what holds for it holds for any
// function. Order (max, min, comparisons) is a fixed random total order, in which random numbers never meet,
// so that a test sees one order of many: random_interpretation.h is for proofs. Infinities are symbols, least
// and greatest in the order, with exp(-inf) = 0. Rounding to 32 or 64 bits is the identity, to fewer bits a
// fixed random function. The theorems are about points where no denominator is zero: divided_by_zero() tells.
#pragma once

#include <array>
#include <cstdint>

#include "ir/dtype.h"
#include "ir/scalar_expr.h"

namespace isomer::eval {

/// 2^61 - 2373; p = 2q + 1, both prime; 4 has order q.
inline constexpr uint64_t kFieldP = (uint64_t{1} << 61) - 2373;
inline constexpr uint64_t kFieldQ = (uint64_t{1} << 60) - 1187;

/// Pairs of primes with p = 2q + 1. `kPublicCode`: Mirage's public code is followed where it departs from its
/// papers: w is 3, 1/0 is 1, roots keep an exponent part, and exp of what has none is 1.
struct SafePrimes {
  static constexpr uint64_t kP = kFieldP, kQ = kFieldQ;
  static constexpr bool kPublicCode = false;
};
/// Of the papers: the largest whose product fits 16 bits.
struct PaperPrimes {
  static constexpr uint64_t kP = 227, kQ = 113;
  static constexpr bool kPublicCode = false;
};
/// Of the public code: both 3 mod 4.
struct PublicCodePrimes {
  static constexpr uint64_t kP = 167, kQ = 83;
  static constexpr bool kPublicCode = true;
};

struct FieldValue {
  static constexpr uint64_t kMark = uint64_t{1} << 63;
  static constexpr uint64_t kNone = kMark;           ///< q: no such part
  static constexpr uint64_t kMinusInfinity = kMark;  ///< p: symbols outside the field
  static constexpr uint64_t kPlusInfinity = kMark + 1;
  static constexpr uint64_t kNaN = kMark + 2;

  uint64_t p = 0;
  uint64_t q = 0;
  bool operator==(const FieldValue&) const = default;
  bool special() const { return (p & kMark) != 0; }
  bool has_q() const { return (q & kMark) == 0; }
};

template <class Primes>
class FieldOver {
 public:
  using Number = FieldValue;
  /// How many integers were divided by zero so far.
  uint64_t undefined = 0;

  /// `seed` picks the root of unity, the order and the random functions.
  explicit FieldOver(uint64_t seed = 0);

  Number constant(double value);
  Number from_integer(int64_t value);
  int64_t to_integer(Number a);
  Number add(Number a, Number b) {
    if (((a.p | b.p) & FieldValue::kMark) != 0) return slow(ir::ScalarOp::kAdd, a, b);
    const uint64_t p = a.p + b.p;
    const uint64_t q = a.q + b.q;
    const bool none = ((a.q | b.q) & FieldValue::kMark) != 0;
    return {p >= Primes::kP ? p - Primes::kP : p, none              ? FieldValue::kNone
                                                  : q >= Primes::kQ ? q - Primes::kQ
                                                                    : q};
  }
  Number sub(Number a, Number b);
  Number mul(Number a, Number b);
  Number max(Number a, Number b) { return is_nan(b) || before(a, b) ? b : a; }
  Number min(Number a, Number b) { return is_nan(b) || before(b, a) ? b : a; }
  Number unary(ir::ScalarOp op, Number a);
  Number binary(ir::ScalarOp op, Number a, Number b);
  bool less(Number a, Number b) { return before(a, b); }
  bool equal(Number a, Number b) { return a.p == b.p && !is_nan(a); }
  bool is_nan(Number a) const { return a.p == FieldValue::kNaN; }
  bool is_inf(Number a) const { return a.special() && !is_nan(a); }
  Number cast(ir::DType to, Number a);

  /// Whether powers with this exponent are powers in the field too: whole ones up to 64, and square roots.
  static bool lawful_exponent(double exponent);
  /// A uniformly random element, a function of `hash`.
  static Number from_hash(uint64_t hash);
  /// One bit (1 << ScalarOp) for each operator without an exact field meaning that was applied so far.
  uint64_t inexact() const { return inexact_; }
  /// Whether some value was divided by zero, or one with a q-part by one whose q-part is zero.
  bool divided_by_zero() const { return divided_by_zero_; }

 protected:
  /// A fixed random element, of these arguments and the seed.
  Number random_function(ir::ScalarOp op, uint64_t a, uint64_t b = 0);
  Number divide(Number a, Number b);
  void note(ir::ScalarOp op) { inexact_ |= uint64_t{1} << static_cast<int>(op); }
  uint64_t seed() const { return seed_; }

 private:
  bool before(Number a, Number b);
  Number slow(ir::ScalarOp op, Number a, Number b);
  Number power(Number base, Number exponent);
  Number inverse(Number a);
  Number square_root(Number a);
  Number exponential(Number a);

  /// Rows are divided by one number each (softmax, normalisation), and an inverse takes 240 products.
  struct Inverse {
    Number of{FieldValue::kNaN, FieldValue::kNone}, value{};
  };

  uint64_t seed_;
  uint64_t root_;  ///< exp(v) = 4^(root_ v.q)
  uint64_t inexact_ = 0;
  bool divided_by_zero_ = false;
  std::array<Inverse, 64> inverses_{};
};

extern template class FieldOver<SafePrimes>;
extern template class FieldOver<PaperPrimes>;
extern template class FieldOver<PublicCodePrimes>;

using PrimeField = FieldOver<SafePrimes>;

}  // namespace isomer::eval
