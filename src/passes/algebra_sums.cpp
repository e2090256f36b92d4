// Rules of the algebraic simplifier about add, subtract and negate (TensorRight's numbers in brackets).
#include <cmath>

#include "passes/algebraic_simplifier.h"

namespace isomer::passes {
namespace {

using enum Opcode;

InstructionId add_zero(const Site& s) {  // [2, 3]
  if (s.is_all(s.in(1), 0)) return s.in(0);
  if (s.is_all(s.in(0), 0)) return s.in(1);
  return {};
}

InstructionId add_constant_first(const Site& s) {  // [4]
  if (!s.is_constant(s.in(0)) || s.is_constant(s.in(1))) return {};
  return s.w.binary(kAdd, s.in(1), s.in(0));
}

/// (a + c1) + c2 => a + (c1 + c2), both constants or both broadcasts of scalar ones. [1]
InstructionId add_constants_together(const Site& s) {
  const InstructionId sum = s.in(0), c2 = s.in(1);
  if (!s.is(sum, kAdd)) return {};
  const InstructionId a = s.in(sum, 0), c1 = s.in(sum, 1);
  if (s.is_constant_or_splat(a)) return {};
  if (s.is_constant(c1) && s.is_constant(c2)) return s.w.binary(kAdd, a, s.w.binary(kAdd, c1, c2));
  const auto x = s.splat_of(c1), y = s.splat_of(c2);
  if (!x || !y || !s.is_constant(*x) || !s.is_constant(*y)) return {};
  return s.w.binary(kAdd, a, s.w.splat(s.w.binary(kAdd, *x, *y), s.dims(s.at)));
}

/// a c + b c => (a + b) c where that rounds nothing: integers, or c a power of two. [15]
InstructionId add_products_of_one(const Site& s) {
  const InstructionId left = s.in(0), right = s.in(1);
  if (left == right || !s.is(left, kMultiply) || !s.is(right, kMultiply)) return {};
  const auto exact = [&](InstructionId c) {
    if (s.is_integral(c)) return true;
    const auto of = s.uniform(c);
    int exponent = 0;
    return of && std::isfinite(of->value) && std::fabs(std::frexp(of->value, &exponent)) == 0.5;
  };
  for (const size_t i : {0, 1})
    for (const size_t j : {0, 1}) {
      const InstructionId c = s.in(left, i);
      if (c != s.in(right, j) || !exact(c)) continue;
      return s.w.binary(kMultiply, s.w.binary(kAdd, s.in(left, 1 - i), s.in(right, 1 - j)), c);
    }
  return {};
}

InstructionId subtract_zero(const Site& s) {  // [5]
  return s.is_all(s.in(1), 0) ? s.in(0) : InstructionId{};
}

InstructionId subtract_itself(const Site& s) {  // [7]; not of floats: infinity less itself
  if (s.in(0) != s.in(1) || !s.is_integral(s.at)) return {};
  return s.all(s.at, 0);
}

/// a - c => a + (-c) [6]
InstructionId subtract_constant(const Site& s) {
  const InstructionId a = s.in(0), c = s.in(1);
  if (s.is_constant(a)) return {};
  if (s.is_constant(c)) return s.w.binary(kAdd, a, s.w.unary(kNegate, c));
  const auto scalar = s.splat_of(c);
  if (!scalar || !s.is_constant(*scalar)) return {};
  return s.w.binary(kAdd, a, s.w.splat(s.w.unary(kNegate, *scalar), s.dims(s.at)));
}

InstructionId negate_twice(const Site& s) {  // [27]
  return s.is(s.in(0), kNegate) ? s.in(s.in(0), 0) : InstructionId{};
}

constexpr Rule kAlgebraSumsRules[] = {
    {kAdd, "add-zero", add_zero},
    {kAdd, "add-constant-first", add_constant_first},
    {kAdd, "add-constants-together", add_constants_together},
    {kAdd, "add-products-of-one", add_products_of_one},
    {kSubtract, "subtract-zero", subtract_zero},
    {kSubtract, "subtract-itself", subtract_itself},
    {kSubtract, "subtract-constant", subtract_constant},
    {kNegate, "negate-twice", negate_twice},
};

}  // namespace

std::span<const Rule> algebra_of_sums() { return kAlgebraSumsRules; }

}  // namespace isomer::passes
