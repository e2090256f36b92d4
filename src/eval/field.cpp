#include "eval/field.h"

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

uint64_t mul_p(uint64_t a, uint64_t b) { return reduce<61, 2373>(static_cast<Wide>(a) * b); }
uint64_t mul_q(uint64_t a, uint64_t b) { return reduce<60, 1187>(static_cast<Wide>(a) * b); }

template <class Mul>
uint64_t power_of(uint64_t base, uint64_t exponent, Mul&& mul) {
  uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = mul(base, base))
    if (exponent & 1) result = mul(result, base);
  return result;
}

uint64_t inverse_p(uint64_t a) { return power_of(a, kFieldP - 2, mul_p); }
uint64_t inverse_q(uint64_t a) { return power_of(a, kFieldQ - 2, mul_q); }

/// 2^e and 2^-e for every exponent that a double can have.
struct PowersOfTwo {
  static constexpr int kMost = 1200;
  std::array<uint64_t, 2 * kMost + 1> p{}, q{};

  PowersOfTwo() {
    p[kMost] = q[kMost] = 1;
    constexpr uint64_t kHalfP = (kFieldP + 1) / 2, kHalfQ = (kFieldQ + 1) / 2;
    for (size_t i = kMost; i < 2 * kMost; ++i) {
      p[i + 1] = mul_p(p[i], 2);
      q[i + 1] = mul_q(q[i], 2);
    }
    for (size_t i = kMost; i > 0; --i) {
      p[i - 1] = mul_p(p[i], kHalfP);
      q[i - 1] = mul_q(q[i], kHalfQ);
    }
  }
};
const PowersOfTwo& powers_of_two() {
  static const PowersOfTwo table;
  return table;
}

/// 4^(2^i) mod p.
const std::array<uint64_t, 60>& generator_squares() {
  static const std::array<uint64_t, 60> table = [] {
    std::array<uint64_t, 60> t{};
    uint64_t g = 4;
    for (uint64_t& x : t) {
      x = g;
      g = mul_p(g, g);
    }
    return t;
  }();
  return table;
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

}  // namespace

PrimeField::PrimeField(uint64_t seed) : seed_(mix64(seed + 0x243F6A8885A308D3ull)) {}

FieldValue PrimeField::from_hash(uint64_t hash) {
  const uint64_t p = mix64(hash + 1) >> 3;
  const uint64_t q = mix64(hash ^ 0x452821E638D01377ull) >> 4;
  return {p >= kFieldP ? p - kFieldP : p, q >= kFieldQ ? q - kFieldQ : q};
}

FieldValue PrimeField::random_function(ScalarOp op, uint64_t a, uint64_t b) {
  note(op);
  return from_hash(hash_combine(hash_combine(seed_ + static_cast<uint64_t>(op), a), b));
}

FieldValue PrimeField::constant(double value) {
  if (std::isnan(value)) return kNaN;
  if (std::isinf(value)) return value < 0 ? kMinusInfinity : kPlusInfinity;
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int scale = exponent - 53 + PowersOfTwo::kMost;  // value = mantissa * 2^(exponent - 53)
  const auto at = static_cast<size_t>(scale);
  const PowersOfTwo& powers = powers_of_two();
  return {mul_p(integer_mod(mantissa, kFieldP), powers.p[at]),
          mul_q(integer_mod(mantissa, kFieldQ), powers.q[at])};
}

FieldValue PrimeField::from_integer(int64_t value) {
  return {integer_mod(value, kFieldP), integer_mod(value, kFieldQ)};
}

int64_t PrimeField::to_integer(FieldValue a) {
  return static_cast<int64_t>(random_function(ScalarOp::kToInteger, a.p).p >> 8);
}

FieldValue PrimeField::slow(ScalarOp op, FieldValue a, FieldValue b) {
  if (is_nan(a) || is_nan(b)) return kNaN;
  return random_function(op, a.p, b.p);
}

FieldValue PrimeField::sub(FieldValue a, FieldValue b) {
  if (a.special() || b.special()) return slow(ScalarOp::kSub, a, b);
  const uint64_t p = a.p >= b.p ? a.p - b.p : a.p + kFieldP - b.p;
  if (!a.has_q() || !b.has_q()) return {p, FieldValue::kNone};
  return {p, a.q >= b.q ? a.q - b.q : a.q + kFieldQ - b.q};
}

FieldValue PrimeField::mul(FieldValue a, FieldValue b) {
  if (a.special() || b.special()) return slow(ScalarOp::kMul, a, b);
  return {mul_p(a.p, b.p), a.has_q() && b.has_q() ? mul_q(a.q, b.q) : FieldValue::kNone};
}

FieldValue PrimeField::divide(FieldValue a, FieldValue b) {
  if (a.special() || b.special()) return slow(ScalarOp::kDiv, a, b);
  if (b.p == 0) return random_function(ScalarOp::kDiv, a.p);
  const bool q = a.has_q() && b.has_q() && b.q != 0;
  const FieldValue by = inverse(b);
  return {mul_p(a.p, by.p), q ? mul_q(a.q, by.q) : FieldValue::kNone};
}

FieldValue PrimeField::inverse(FieldValue a) {
  Inverse& slot = inverses_[mix64(a.p) % inverses_.size()];
  if (slot.of != a) slot = {a, {inverse_p(a.p), a.has_q() ? inverse_q(a.q) : FieldValue::kNone}};
  return slot.value;
}

FieldValue PrimeField::square_root(FieldValue a) {
  note(ScalarOp::kSqrt);
  return {power_of(a.p, (kFieldP + 1) / 4, mul_p), FieldValue::kNone};
}

FieldValue PrimeField::exponential(FieldValue a) {
  note(ScalarOp::kExp);
  if (a.p == FieldValue::kMinusInfinity) return {0, FieldValue::kNone};
  if (!a.has_q()) return random_function(ScalarOp::kExp, a.p);
  uint64_t result = 1;
  for (uint64_t rest = a.q; rest != 0; rest &= rest - 1)
    result = mul_p(result, generator_squares()[static_cast<size_t>(std::countr_zero(rest))]);
  return {result, FieldValue::kNone};
}

bool PrimeField::lawful_exponent(double exponent) {
  const double size = std::abs(exponent);
  return size == 0.5 || (size <= kLargestExponent && std::floor(size) == size);
}

FieldValue PrimeField::power(FieldValue base, FieldValue exponent) {
  for (int64_t n = 0; n <= kLargestExponent; ++n)
    for (const int64_t e : {n, -n})
      if (integer_mod(e, kFieldP) == exponent.p) {
        const auto u = static_cast<uint64_t>(n);
        const FieldValue result = {power_of(base.p, u, mul_p),
                                   base.has_q() ? power_of(base.q, u, mul_q) : FieldValue::kNone};
        return e < 0 ? divide(from_integer(1), result) : result;
      }
  if (exponent.p == constant(0.5).p) return square_root(base);
  if (exponent.p == constant(-0.5).p) return divide(from_integer(1), square_root(base));
  return random_function(ScalarOp::kPow, base.p, exponent.p);
}

FieldValue PrimeField::unary(ScalarOp op, FieldValue a) {
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
      const FieldValue sign = {power_of(a.p, kFieldQ, mul_p), FieldValue::kNone};
      return op == ScalarOp::kSign ? sign : mul(a, sign);
    }
    default: return random_function(op, a.p);
  }
}

FieldValue PrimeField::binary(ScalarOp op, FieldValue a, FieldValue b) {
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

bool PrimeField::less(FieldValue a, FieldValue b) {
  note(ScalarOp::kLess);
  if (a.p == b.p || is_nan(a) || is_nan(b)) return false;
  if (a.special() || b.special())
    return a.p == FieldValue::kMinusInfinity || b.p == FieldValue::kPlusInfinity;
  return mix64(a.p ^ seed_) < mix64(b.p ^ seed_);  // bijective, hence total
}

FieldValue PrimeField::cast(ir::DType to, FieldValue a) {
  if (to == ir::DType::kF32 || to == ir::DType::kF64 || a.special()) return a;
  note(ScalarOp::kCast);
  return from_hash(hash_combine(hash_combine(seed_ + static_cast<uint64_t>(to), a.p), 77));
}

}  // namespace isomer::eval
