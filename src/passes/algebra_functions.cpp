// Rules of the algebraic simplifier about powers, exponentials, roots, maximum, minimum and clamp
// (TensorRight's numbers in brackets).
#include "passes/algebraic_simplifier.h"

namespace isomer::passes {
namespace {

using enum Opcode;

/// Not even minus zero, which roots keep.
bool is_never_negative(const Site& s, InstructionId a) {
  if (const auto number = s.uniform(a); number && number->value > 0) return true;
  return s.is(a, kExp) || s.is(a, kAbs) || (s.is(a, kMultiply) && s.in(a, 0) == s.in(a, 1));
}

/// A root where the base is never negative: power gives 0 for minus infinity, sqrt a NaN.
InstructionId power_is_root(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is_floating(s.at) || !is_never_negative(s, a)) return {};
  if (s.is_all(s.in(1), 0.5)) return s.w.unary(kSqrt, a);
  if (s.is_all(s.in(1), -0.5)) return s.w.unary(kRsqrt, a);
  return {};
}

InstructionId power_of_number(const Site& s) {
  const InstructionId a = s.in(0), b = s.in(1);
  const auto exponent = s.uniform(b);
  if (!exponent) return {};
  if (exponent->value == 0) return s.all(s.at, 1);
  if (exponent->value == 1) return a;
  if (exponent->value == 2) return s.w.binary(kMultiply, a, a);
  if (exponent->value == 3) return s.w.binary(kMultiply, s.w.binary(kMultiply, a, a), a);
  if (exponent->value == -1 && s.is_floating(s.at)) return s.w.binary(kDivide, s.all(s.at, 1), a);
  return {};
}

InstructionId power_of_exponential(const Site& s) {
  if (!s.is(s.in(0), kExp)) return {};
  return s.w.unary(kExp, s.w.binary(kMultiply, s.in(s.in(0), 0), s.in(1)));
}

InstructionId log_of_exponential(const Site& s) {
  return s.is(s.in(0), kExp) ? s.in(s.in(0), 0) : InstructionId{};
}

/// |a| => a where a is never negative (a NaN stays one).
InstructionId abs_of_not_negative(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is_floating(a)) return {};
  return is_never_negative(s, a) ? a : InstructionId{};
}

InstructionId maximum_with_lowest(const Site& s) {  // [28]
  const double lowest = s.lowest(s.element(s.at));
  if (hlo::is_complex(s.element(s.at))) return {};
  if (s.is_all(s.in(1), lowest)) return s.in(0);
  if (s.is_all(s.in(0), lowest)) return s.in(1);
  return {};
}

InstructionId minimum_with_highest(const Site& s) {  // [29]
  const double highest = s.highest(s.element(s.at));
  if (s.is_all(s.in(1), highest)) return s.in(0);
  if (s.is_all(s.in(0), highest)) return s.in(1);
  return {};
}

InstructionId same_twice(const Site& s) { return s.in(0) == s.in(1) ? s.in(0) : InstructionId{}; }

/// An operand that is uniform, and the other one.
bool one_uniform(const Site& s, InstructionId of, InstructionId& other, InstructionId& bound, double& value) {
  for (const size_t i : {0, 1})
    if (const auto number = s.uniform(s.in(of, i)); number && s.rank(number->scalar_or_array) == 0) {
      other = s.in(of, 1 - i);
      bound = number->scalar_or_array;
      value = number->value;
      return true;
    }
  return false;
}

/// max(low, min(a, high)) => clamp(low, a, high), and so turned round. [31, 32]
InstructionId clamped(const Site& s) {
  const Opcode inner = s.is(s.at, kMaximum) ? kMinimum : kMaximum;
  InstructionId x, a, outer_bound, inner_bound;
  double outer_value = 0, inner_value = 0;
  if (!one_uniform(s, s.at, x, outer_bound, outer_value) || !s.is(x, inner)) return {};
  if (!one_uniform(s, x, a, inner_bound, inner_value)) return {};
  const bool is_maximum = s.is(s.at, kMaximum);
  const double low = is_maximum ? outer_value : inner_value, high = is_maximum ? inner_value : outer_value;
  if (!(low < high)) return {};
  return s.w.add(kClamp, s.m.shape(s.at),
                 {is_maximum ? outer_bound : inner_bound, a, is_maximum ? inner_bound : outer_bound});
}

InstructionId clamp_twice(const Site& s) {  // [30]
  const InstructionId a = s.in(1);
  if (!s.is(a, kClamp) || s.in(a, 0) != s.in(0) || s.in(a, 2) != s.in(2)) return {};
  return a;
}

constexpr Rule kAlgebraFunctionsRules[] = {
    {kPower, "power-of-number", power_of_number},
    {kPower, "power-is-root", power_is_root},
    {kPower, "power-of-exponential", power_of_exponential},
    {kLog, "log-of-exponential", log_of_exponential},
    {kAbs, "abs-of-not-negative", abs_of_not_negative},
    {kMaximum, "maximum-with-lowest", maximum_with_lowest},
    {kMaximum, "maximum-of-same", same_twice},
    {kMaximum, "maximum-is-clamp", clamped},
    {kMinimum, "minimum-with-highest", minimum_with_highest},
    {kMinimum, "minimum-of-same", same_twice},
    {kMinimum, "minimum-is-clamp", clamped},
    {kClamp, "clamp-twice", clamp_twice},
};

}  // namespace

std::span<const Rule> algebra_of_functions() { return kAlgebraFunctionsRules; }

}  // namespace isomer::passes
