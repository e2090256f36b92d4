#include "eval/field.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "support/hash.h"

namespace isomer::eval {
namespace {

using ir::ScalarOp;
__extension__ using Wide = unsigned __int128;

/// Remainder of x < 2^(2 Bits) by 2^Bits - C, by folding the high half down twice.
template <int Bits, uint64_t C>
uint64_t reduce(Wide x) {
  constexpr uint64_t kMask = (uint64_t{1} << Bits) - 1;
  constexpr uint64_t kModulus = (uint64_t{1} << Bits) - C;
  const Wide once = (x & kMask) + (x >> Bits) * C;
  uint64_t r = static_cast<uint64_t>(once & kMask) + static_cast<uint64_t>(once >> Bits) * C;
  while (r >= kModulus) r -= kModulus;
  return r;
}

template <class Primes>
uint64_t mul_p(uint64_t a, uint64_t b) {
  if constexpr (Primes::kP == kFieldP) return reduce<61, 2373>(static_cast<Wide>(a) * b);
  return a * b % Primes::kP;
}
template <class Primes>
uint64_t mul_q(uint64_t a, uint64_t b) {
  if constexpr (Primes::kQ == kFieldQ) return reduce<60, 1187>(static_cast<Wide>(a) * b);
  return a * b % Primes::kQ;
}

template <class Mul>
uint64_t power_of(uint64_t base, uint64_t exponent, Mul&& mul) {
  uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = mul(base, base))
    if (exponent & 1) result = mul(result, base);
  return result;
}

/// 2^e and 2^-e for every exponent that a double can have.
template <class Primes>
struct PowersOfTwo {
  static constexpr int kMost = 1200;
  std::array<uint64_t, 2 * kMost + 1> p{}, q{};

  PowersOfTwo() {
    p[kMost] = q[kMost] = 1;
    constexpr uint64_t kHalfP = (Primes::kP + 1) / 2, kHalfQ = (Primes::kQ + 1) / 2;
    for (size_t i = kMost; i < 2 * kMost; ++i) {
      p[i + 1] = mul_p<Primes>(p[i], 2);
      q[i + 1] = mul_q<Primes>(q[i], 2);
    }
    for (size_t i = kMost; i > 0; --i) {
      p[i - 1] = mul_p<Primes>(p[i], kHalfP);
      q[i - 1] = mul_q<Primes>(q[i], kHalfQ);
    }
  }

  static const PowersOfTwo& table() {
    static const PowersOfTwo powers;
    return powers;
  }
};

/// 4^(2^i) mod p.
template <class Primes>
const std::array<uint64_t, 60>& generator_squares() {
  static const std::array<uint64_t, 60> table = [] {
    std::array<uint64_t, 60> t{};
    uint64_t g = 4;
    for (uint64_t& x : t) {
      x = g;
      g = mul_p<Primes>(g, g);
    }
    return t;
  }();
  return table;
}

/// 4^e mod p.
template <class Primes>
uint64_t generator_power(uint64_t e) {
  uint64_t result = 1;
  for (; e != 0; e &= e - 1)
    result = mul_p<Primes>(result, generator_squares<Primes>()[static_cast<size_t>(std::countr_zero(e))]);
  return result;
}

uint64_t integer_mod(int64_t value, uint64_t modulus) {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const uint64_t r = magnitude % modulus;
  return value < 0 && r != 0 ? modulus - r : r;
}

constexpr FieldValue kMinusInfinity = {FieldValue::kMinusInfinity, FieldValue::kNone};
constexpr FieldValue kPlusInfinity = {FieldValue::kPlusInfinity, FieldValue::kNone};
constexpr int64_t kLargestExponent = 64;
constexpr FieldValue kNaN = {FieldValue::kNaN, FieldValue::kNone};
constexpr uint64_t kRootOfPublicCode = 24;  // 4^24 = 3 mod 167

}  // namespace

template <class Primes>
FieldOver<Primes>::FieldOver(uint64_t seed)
    : seed_(mix64(seed + 0x243F6A8885A308D3ull)),
      root_(Primes::kPublicCode ? kRootOfPublicCode : mix64(seed_ ^ 0x13198A2E03707344ull) % Primes::kQ) {}

template <class Primes>
FieldValue FieldOver<Primes>::from_hash(uint64_t hash) {
  return {(mix64(hash + 1) >> 3) % Primes::kP, (mix64(hash ^ 0x452821E638D01377ull) >> 4) % Primes::kQ};
}

template <class Primes>
FieldValue FieldOver<Primes>::random_function(ScalarOp op, uint64_t a, uint64_t b) {
  note(op);
  return from_hash(hash_combine(hash_combine(seed_ + static_cast<uint64_t>(op), a), b));
}

template <class Primes>
FieldValue FieldOver<Primes>::constant(double value) {
  if (std::isnan(value)) return kNaN;
  if (std::isinf(value)) return value < 0 ? kMinusInfinity : kPlusInfinity;
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int scale = exponent - 53 + PowersOfTwo<Primes>::kMost;  // value = mantissa * 2^(exponent - 53)
  const auto at = static_cast<size_t>(scale);
  const auto& powers = PowersOfTwo<Primes>::table();
  return {mul_p<Primes>(integer_mod(mantissa, Primes::kP), powers.p[at]),
          mul_q<Primes>(integer_mod(mantissa, Primes::kQ), powers.q[at])};
}

template <class Primes>
FieldValue FieldOver<Primes>::from_integer(int64_t value) {
  return {integer_mod(value, Primes::kP), integer_mod(value, Primes::kQ)};
}

template <class Primes>
int64_t FieldOver<Primes>::to_integer(FieldValue a) {
  return static_cast<int64_t>(random_function(ScalarOp::kToInteger, a.p).p >> 8);
}

template <class Primes>
FieldValue FieldOver<Primes>::slow(ScalarOp op, FieldValue a, FieldValue b) {
  if (is_nan(a) || is_nan(b)) return kNaN;
  return random_function(op, a.p, b.p);
}

template <class Primes>
FieldValue FieldOver<Primes>::sub(FieldValue a, FieldValue b) {
  if (a.special() || b.special()) return slow(ScalarOp::kSub, a, b);
  const uint64_t p = a.p >= b.p ? a.p - b.p : a.p + Primes::kP - b.p;
  if (!a.has_q() || !b.has_q()) return {p, FieldValue::kNone};
  return {p, a.q >= b.q ? a.q - b.q : a.q + Primes::kQ - b.q};
}

template <class Primes>
FieldValue FieldOver<Primes>::mul(FieldValue a, FieldValue b) {
  if (a.special() || b.special()) return slow(ScalarOp::kMul, a, b);
  return {mul_p<Primes>(a.p, b.p), a.has_q() && b.has_q() ? mul_q<Primes>(a.q, b.q) : FieldValue::kNone};
}

template <class Primes>
FieldValue FieldOver<Primes>::divide(FieldValue a, FieldValue b) {
  if (a.special() || b.special()) return slow(ScalarOp::kDiv, a, b);
  const bool q = a.has_q() && b.has_q();
  if (b.p == 0 || (q && b.q == 0)) {
    divided_by_zero_ = true;
    if (!Primes::kPublicCode && b.p == 0) return random_function(ScalarOp::kDiv, a.p);
  }
  const FieldValue by = inverse(b);
  return {mul_p<Primes>(a.p, by.p),
          q && (b.q != 0 || Primes::kPublicCode) ? mul_q<Primes>(a.q, by.q) : FieldValue::kNone};
}

template <class Primes>
FieldValue FieldOver<Primes>::inverse(FieldValue a) {
  Inverse& slot = inverses_[mix64(a.p) % inverses_.size()];
  if (slot.of == a) return slot.value;
  slot = {a,
          {power_of(a.p, Primes::kP - 2, mul_p<Primes>),
           a.has_q() ? power_of(a.q, Primes::kQ - 2, mul_q<Primes>) : FieldValue::kNone}};
  if (Primes::kPublicCode && a.p == 0) slot.value.p = 1;
  if (Primes::kPublicCode && a.q == 0) slot.value.q = 1;
  return slot.value;
}

template <class Primes>
FieldValue FieldOver<Primes>::square_root(FieldValue a) {
  note(ScalarOp::kSqrt);
  uint64_t q = FieldValue::kNone;
  if (Primes::kPublicCode && a.has_q()) q = power_of(a.q, (Primes::kQ + 1) / 4, mul_q<Primes>);
  return {power_of(a.p, (Primes::kP + 1) / 4, mul_p<Primes>), q};
}

template <class Primes>
FieldValue FieldOver<Primes>::exponential(FieldValue a) {
  note(ScalarOp::kExp);
  const uint64_t q = Primes::kPublicCode ? 0 : FieldValue::kNone;
  if (a.p == FieldValue::kMinusInfinity) return {0, q};
  if (!a.has_q()) return random_function(ScalarOp::kExp, a.p);
  return {generator_power<Primes>(mul_q<Primes>(root_, a.q)), q};
}

template <class Primes>
bool FieldOver<Primes>::lawful_exponent(double exponent) {
  const double size = std::abs(exponent);
  return size == 0.5 || (size <= kLargestExponent && std::floor(size) == size);
}

template <class Primes>
FieldValue FieldOver<Primes>::power(FieldValue base, FieldValue exponent) {
  for (int64_t n = 0; n <= kLargestExponent; ++n)
    for (const int64_t e : {n, -n})
      if (integer_mod(e, Primes::kP) == exponent.p) {
        const auto u = static_cast<uint64_t>(n);
        const FieldValue result = {power_of(base.p, u, mul_p<Primes>),
                                   base.has_q() ? power_of(base.q, u, mul_q<Primes>) : FieldValue::kNone};
        return e < 0 ? divide(from_integer(1), result) : result;
      }
  if (exponent.p == constant(0.5).p) return square_root(base);
  if (exponent.p == constant(-0.5).p) return divide(from_integer(1), square_root(base));
  return random_function(ScalarOp::kPow, base.p, exponent.p);
}

template <class Primes>
FieldValue FieldOver<Primes>::unary(ScalarOp op, FieldValue a) {
  if (is_nan(a)) return kNaN;
  if (op == ScalarOp::kExp) return exponential(a);
  if (op == ScalarOp::kNeg && a.p == FieldValue::kMinusInfinity) return kPlusInfinity;
  if (op == ScalarOp::kNeg && a.p == FieldValue::kPlusInfinity) return kMinusInfinity;
  if (a.special()) return random_function(op, a.p);
  switch (op) {
    case ScalarOp::kNeg: return sub({0, 0}, a);
    case ScalarOp::kSqrt: return square_root(a);
    case ScalarOp::kSign:
    case ScalarOp::kAbs: {
      note(op);
      const FieldValue sign = {power_of(a.p, Primes::kQ, mul_p<Primes>), FieldValue::kNone};
      return op == ScalarOp::kSign ? sign : mul(a, sign);
    }
    default: return random_function(op, a.p);
  }
}

template <class Primes>
FieldValue FieldOver<Primes>::binary(ScalarOp op, FieldValue a, FieldValue b) {
  switch (op) {
    case ScalarOp::kAdd: return add(a, b);
    case ScalarOp::kSub: return sub(a, b);
    case ScalarOp::kMul: return mul(a, b);
    case ScalarOp::kMax: return max(a, b);
    case ScalarOp::kMin: return min(a, b);
    case ScalarOp::kDiv: return divide(a, b);
    case ScalarOp::kPow: return a.special() || b.special() ? slow(op, a, b) : power(a, b);
    default: return slow(op, a, b);
  }
}

template <class Primes>
bool FieldOver<Primes>::before(FieldValue a, FieldValue b) {
  note(ScalarOp::kLess);
  if (a.p == b.p || is_nan(a) || is_nan(b)) return false;
  if (a.special() || b.special())
    return a.p == FieldValue::kMinusInfinity || b.p == FieldValue::kPlusInfinity;
  return mix64(a.p ^ seed_) < mix64(b.p ^ seed_);  // bijective, hence total
}

template <class Primes>
FieldValue FieldOver<Primes>::cast(ir::DType to, FieldValue a) {
  const bool zero = a.p == 0 && a.q == 0;  // which every type has
  if (ir::keeps_all(ir::DType::kF32, to) || a.special() || zero) return a;
  note(ScalarOp::kCast);
  return from_hash(hash_combine(hash_combine(seed_ + static_cast<uint64_t>(to), a.p), 77));
}

template class FieldOver<SafePrimes>;
template class FieldOver<PaperPrimes>;
template class FieldOver<PublicCodePrimes>;

}  // namespace isomer::eval
