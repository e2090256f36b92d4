// Rules of the algebraic simplifier about multiply, divide and remainder (TensorRight's numbers in brackets).
#include <cmath>

#include "passes/algebraic_simplifier.h"

namespace isomer::passes {
namespace {

using enum Opcode;

InstructionId multiply_by_one(const Site& s) {  // [8, 9]
  if (s.is_all(s.in(1), 1)) return s.in(0);
  if (s.is_all(s.in(0), 1)) return s.in(1);
  return {};
}

InstructionId multiply_by_zero(const Site& s) {  // [10, 11]; not of floats: infinity times 0
  if (!s.is_integral(s.at)) return {};
  if (s.is_all(s.in(1), 0)) return s.in(1);
  if (s.is_all(s.in(0), 0)) return s.in(0);
  return {};
}

InstructionId multiply_absolutes(const Site& s) {  // [16]
  const InstructionId a = s.in(0);
  if (a != s.in(1) || !s.is(a, kAbs) || hlo::is_complex(s.element(s.in(a, 0)))) return {};
  return s.w.binary(kMultiply, s.in(a, 0), s.in(a, 0));
}

InstructionId multiply_constant_first(const Site& s) {
  if (!s.is_constant(s.in(0)) || s.is_constant(s.in(1))) return {};
  return s.w.binary(kMultiply, s.in(1), s.in(0));
}

/// Two constants, or two broadcasts of scalar ones: their product; invalid otherwise.
InstructionId product_of_constants(const Site& s, InstructionId c1, InstructionId c2, InstructionId like) {
  if (s.is_constant(c1) && s.is_constant(c2)) return s.w.binary(kMultiply, c1, c2);
  const auto x = s.splat_of(c1), y = s.splat_of(c2);
  if (!x || !y || !s.is_constant(*x) || !s.is_constant(*y)) return {};
  const Dims dims = s.dims(like);
  return s.w.splat(s.w.binary(kMultiply, *x, *y), dims);
}

/// a * c with c constant or a broadcast of a scalar constant, and a neither.
bool scaled(const Site& s, InstructionId product, InstructionId& a, InstructionId& c) {
  if (!s.is(product, kMultiply)) return false;
  for (const size_t i : {1, 0}) {
    a = s.in(product, 1 - i);
    c = s.in(product, i);
    if (s.is_constant_or_splat(c) && !s.is_constant_or_splat(a)) return true;
  }
  return false;
}

/// (a * c1) * (b * c2) => (a * b) * (c1 * c2), where nothing else uses the factors. [12]
InstructionId multiply_scaled_both(const Site& s) {
  InstructionId a, b, c1, c2;
  if (!s.has_one_user(s.in(0)) || !s.has_one_user(s.in(1))) return {};
  if (!scaled(s, s.in(0), a, c1) || !scaled(s, s.in(1), b, c2)) return {};
  const InstructionId c = product_of_constants(s, c1, c2, s.at);
  if (!c.valid()) return {};
  return s.w.binary(kMultiply, s.w.binary(kMultiply, a, b), c);
}

InstructionId multiply_constants_together(const Site& s) {  // [13]
  InstructionId a, c1;
  if (!scaled(s, s.in(0), a, c1)) return {};
  const InstructionId c = product_of_constants(s, c1, s.in(1), s.at);
  return c.valid() ? s.w.binary(kMultiply, a, c) : InstructionId{};
}

/// (a * splat c) * bc b => a * bc(b * c), where b has fewer elements. [14]
InstructionId multiply_constant_into_broadcast(const Site& s) {
  for (const size_t i : {0, 1}) {
    InstructionId a, c;
    const InstructionId wide = s.in(1 - i);
    if (!scaled(s, s.in(i), a, c) || !s.is(wide, kBroadcast)) continue;
    const auto scalar = s.splat_of(c);
    const InstructionId b = s.in(wide, 0);
    if (!scalar || s.is_constant(b) || s.elements(b) >= s.elements(s.at)) continue;
    const Dims small = s.dims(b), dims = s.dims(s.at), places = s.list(wide, AttributeName::kDimensions);
    const InstructionId c_small = small.empty() ? *scalar : s.w.splat(*scalar, small);
    return s.w.binary(kMultiply, a, s.w.broadcast(s.w.binary(kMultiply, b, c_small), dims, places));
  }
  return {};
}

InstructionId multiply_exponentials(const Site& s) {  // [17]
  const InstructionId a = s.in(0), b = s.in(1);
  if (!s.is(a, kExp) || !s.is(b, kExp)) return {};
  return s.w.unary(kExp, s.w.binary(kAdd, s.in(a, 0), s.in(b, 0)));
}

InstructionId divide_by_one(const Site& s) {  // [18]
  return s.is_all(s.in(1), 1) ? s.in(0) : InstructionId{};
}

/// k where the value is 2^k, k >= 1.
int power_of_two(const Site& s, InstructionId c) {
  const auto of = s.uniform(c);
  int exponent = 0;
  if (!of || of->value < 2 || std::frexp(of->value, &exponent) != 0.5) return 0;
  return exponent - 1;
}

InstructionId divide_by_power_of_two(const Site& s) {
  const int k = power_of_two(s, s.in(1));
  if (k == 0 || !s.is_integral(s.at) || !s.is_unsigned(s.at)) return {};
  return s.w.binary(kShiftRightLogical, s.in(0), s.all(s.at, k));
}

InstructionId divide_exponentials(const Site& s) {
  const InstructionId a = s.in(0), b = s.in(1);
  if (!s.is(a, kExp) || !s.is(b, kExp)) return {};
  return s.w.unary(kExp, s.w.binary(kSubtract, s.in(a, 0), s.in(b, 0)));
}

InstructionId divide_by_exponential(const Site& s) {
  if (!s.is(s.in(1), kExp)) return {};
  return s.w.binary(kMultiply, s.in(0), s.w.unary(kExp, s.w.unary(kNegate, s.in(s.in(1), 0))));
}

InstructionId divide_by_power(const Site& s) {
  const InstructionId b = s.in(1);
  if (!s.is(b, kPower) || !s.is_floating(s.at)) return {};
  const InstructionId inverse = s.w.binary(kPower, s.in(b, 0), s.w.unary(kNegate, s.in(b, 1)));
  return s.w.binary(kMultiply, s.in(0), inverse);
}

/// Where nothing else uses the root.
InstructionId divide_by_root(const Site& s) {
  const InstructionId b = s.in(1);
  if (!s.has_one_user(b)) return {};
  if (s.is(b, kSqrt)) return s.w.binary(kMultiply, s.in(0), s.w.unary(kRsqrt, s.in(b, 0)));
  if (s.is(b, kRsqrt)) return s.w.binary(kMultiply, s.in(0), s.w.unary(kSqrt, s.in(b, 0)));
  return {};
}

InstructionId divide_by_constant(const Site& s) {  // [19]
  const InstructionId a = s.in(0), c = s.in(1);
  if (!s.is_floating(s.at) || s.is_constant(a)) return {};
  const auto scalar = s.splat_of(c);
  const InstructionId constant = scalar ? *scalar : c;
  if (!s.is_constant(constant)) return {};
  const int64_t count = s.elements(constant);
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < count; ++i) {
    // One rounding: single precision and less are divided in double precision, which they do not notice.
    const auto one = scalar_bytes(s.element(constant), 1 / s.element_of(constant, i));
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  const Dims dims = s.dims(s.at);
  const InstructionId inverse = s.w.constant(s.m.shape(constant), std::move(bytes));
  return s.w.binary(kMultiply, a, scalar ? s.w.splat(inverse, dims) : inverse);
}

InstructionId divide_quotients(const Site& s) {  // [20]
  const InstructionId x = s.in(0), y = s.in(1);
  if (!s.is_floating(s.at) || !s.is(x, kDivide) || !s.is(y, kDivide)) return {};
  const InstructionId a = s.in(x, 0), b = s.in(x, 1), c = s.in(y, 0), d = s.in(y, 1);
  return s.w.binary(kDivide, s.w.binary(kMultiply, a, d), s.w.binary(kMultiply, b, c));
}

InstructionId divide_quotient(const Site& s) {
  const InstructionId x = s.in(0), c = s.in(1);
  if (!s.is_floating(s.at) || !s.is(x, kDivide)) return {};
  return s.w.binary(kDivide, s.in(x, 0), s.w.binary(kMultiply, s.in(x, 1), c));
}

InstructionId divide_by_quotient(const Site& s) {  // [21]
  const InstructionId y = s.in(1);
  if (!s.is_floating(s.at) || !s.is(y, kDivide)) return {};
  return s.w.binary(kDivide, s.w.binary(kMultiply, s.in(0), s.in(y, 1)), s.in(y, 0));
}

/// a / bc b => a * bc(1 / b), where nothing else uses b: fewer divisions.
InstructionId divide_by_broadcast(const Site& s) {
  const InstructionId wide = s.in(1);
  if (!s.is_floating(s.at) || !s.is(wide, kBroadcast)) return {};
  const InstructionId b = s.in(wide, 0);
  if (s.is_constant(b) || !s.has_one_user(b) || s.elements(b) >= s.elements(s.at)) return {};
  const Dims dims = s.dims(s.at), places = s.list(wide, AttributeName::kDimensions);
  const InstructionId inverse = s.w.binary(kDivide, s.all(b, 1), b);
  return s.w.binary(kMultiply, s.in(0), s.w.broadcast(inverse, dims, places));
}

InstructionId remainder_twice(const Site& s) {  // [22]
  const InstructionId a = s.in(0), b = s.in(1);
  if (!s.is_integral(s.at) || !s.is(a, kRemainder) || s.in(a, 1) != b) return {};
  return a;
}

InstructionId remainder_of_iota(const Site& s) {  // [23]
  const InstructionId a = s.in(0);
  const auto c = s.uniform(s.in(1));
  if (!c || !s.is_integral(s.at) || !s.is(a, kIota)) return {};
  const auto d = static_cast<size_t>(s.number(a, AttributeName::kIotaDimension));
  return static_cast<double>(s.dims(a)[d]) <= c->value ? a : InstructionId{};
}

InstructionId remainder_by_power_of_two(const Site& s) {
  const int k = power_of_two(s, s.in(1));
  if (k == 0 || !s.is_integral(s.at) || !s.is_unsigned(s.at)) return {};
  return s.w.binary(kAnd, s.in(0), s.all(s.at, std::ldexp(1.0, k) - 1));
}

constexpr Rule kAlgebraProductsRules[] = {
    {kMultiply, "multiply-by-one", multiply_by_one},
    {kMultiply, "multiply-by-zero", multiply_by_zero},
    {kMultiply, "multiply-absolutes", multiply_absolutes},
    {kMultiply, "multiply-constant-first", multiply_constant_first},
    {kMultiply, "multiply-scaled-both", multiply_scaled_both},
    {kMultiply, "multiply-constants-together", multiply_constants_together},
    {kMultiply, "multiply-constant-into-broadcast", multiply_constant_into_broadcast},
    {kMultiply, "multiply-exponentials", multiply_exponentials},
    {kDivide, "divide-by-one", divide_by_one},
    {kDivide, "divide-by-power-of-two", divide_by_power_of_two},
    {kDivide, "divide-exponentials", divide_exponentials},
    {kDivide, "divide-by-exponential", divide_by_exponential},
    {kDivide, "divide-by-power", divide_by_power},
    {kDivide, "divide-by-root", divide_by_root},
    {kDivide, "divide-by-constant", divide_by_constant},
    {kDivide, "divide-quotients", divide_quotients},
    {kDivide, "divide-quotient", divide_quotient},
    {kDivide, "divide-by-quotient", divide_by_quotient},
    {kDivide, "divide-by-broadcast", divide_by_broadcast},
    {kRemainder, "remainder-twice", remainder_twice},
    {kRemainder, "remainder-of-iota", remainder_of_iota},
    {kRemainder, "remainder-by-power-of-two", remainder_by_power_of_two},
};

}  // namespace

std::span<const Rule> algebra_of_products() { return kAlgebraProductsRules; }

}  // namespace isomer::passes
