// Rules of the algebraic simplifier about bits, comparisons, select and convert (TensorRight's numbers in
// brackets).
#include <optional>

#include "passes/algebraic_simplifier.h"

namespace isomer::passes {
namespace {

using enum Opcode;
using hlo::Direction;

bool is_pred(const Site& s, InstructionId a) { return s.element(a) == Primitive::kPred; }

/// All bits set.
bool is_ones(const Site& s, InstructionId a) {
  if (is_pred(s, a)) return s.is_all(a, 1);
  const hlo::PrimitiveRow& row = hlo::row(s.element(a));
  return row.kind == hlo::PrimitiveKind::kSigned ? s.is_all(a, -1) : s.is_all(a, s.highest(s.element(a)));
}

InstructionId and_with_number(const Site& s) {  // [37-40]
  for (const size_t i : {1, 0}) {
    if (is_ones(s, s.in(i))) return s.in(1 - i);
    if (s.is_all(s.in(i), 0)) return s.in(i);
  }
  return s.in(0) == s.in(1) ? s.in(0) : InstructionId{};
}

InstructionId or_with_number(const Site& s) {  // [33-36]
  for (const size_t i : {1, 0}) {
    if (s.is_all(s.in(i), 0)) return s.in(1 - i);
    if (is_ones(s, s.in(i))) return s.in(i);
  }
  return s.in(0) == s.in(1) ? s.in(0) : InstructionId{};
}

InstructionId xor_with_number(const Site& s) {
  for (const size_t i : {1, 0})
    if (s.is_all(s.in(i), 0)) return s.in(1 - i);
  if (s.in(0) == s.in(1)) return s.all(s.at, 0);
  return {};
}

InstructionId not_twice(const Site& s) {  // [26]
  return s.is(s.in(0), kNot) ? s.in(s.in(0), 0) : InstructionId{};
}

InstructionId shift_by_zero(const Site& s) { return s.is_all(s.in(1), 0) ? s.in(0) : InstructionId{}; }

Direction turned(Direction d) {
  switch (d) {
    case Direction::kGe: return Direction::kLe;
    case Direction::kGt: return Direction::kLt;
    case Direction::kLe: return Direction::kGe;
    case Direction::kLt: return Direction::kGt;
    default: return d;
  }
}

Direction direction(const Site& s) {
  return static_cast<Direction>(s.number(s.at, AttributeName::kDirection));
}

/// An iota that its type holds: longer ones wrap.
bool counts_up(const Site& s, InstructionId a) {
  if (!s.is(a, kIota)) return false;
  const auto d = static_cast<size_t>(s.number(a, AttributeName::kIotaDimension));
  return static_cast<double>(s.dims(a)[d]) - 1 <= s.highest(s.element(a));
}

/// Nothing is below 0: an iota, an unsigned number.
InstructionId compare_not_negative(const Site& s) {
  for (const size_t i : {0, 1}) {
    const InstructionId a = s.in(i), zero = s.in(1 - i);
    if (!s.is_all(zero, 0) || !s.is_integral(a) || !(counts_up(s, a) || s.is_unsigned(a))) continue;
    const Direction d = i == 0 ? direction(s) : turned(direction(s));
    if (d == Direction::kLt) return s.all(s.at, 0);
    if (d == Direction::kGe) return s.all(s.at, 1);
  }
  return {};
}

InstructionId compare_with_itself(const Site& s) {  // [44-49]; of integers
  if (s.in(0) != s.in(1) || !(s.is_integral(s.in(0)) || is_pred(s, s.in(0)))) return {};
  const Direction d = direction(s);
  return s.all(s.at, d == Direction::kEq || d == Direction::kGe || d == Direction::kLe ? 1 : 0);
}

/// Two scalar constants.
InstructionId compare_constants(const Site& s) {
  const InstructionId a = s.in(0), b = s.in(1);
  if (!s.is_constant(a) || !s.is_constant(b) || s.rank(a) != 0) return {};
  const auto x = s.uniform(a), y = s.uniform(b);
  if (!x || !y || s.m.find(s.at, AttributeName::kType)) return {};
  const double p = x->value, q = y->value;
  switch (direction(s)) {
    case Direction::kEq: return s.all(s.at, p == q ? 1 : 0);
    case Direction::kNe: return s.all(s.at, p != q ? 1 : 0);
    case Direction::kGe: return s.all(s.at, p >= q ? 1 : 0);
    case Direction::kGt: return s.all(s.at, p > q ? 1 : 0);
    case Direction::kLe: return s.all(s.at, p <= q ? 1 : 0);
    case Direction::kLt: return s.all(s.at, p < q ? 1 : 0);
  }
  return {};
}

InstructionId compare_with_truth(const Site& s) {
  if (!is_pred(s, s.in(0))) return {};
  const Direction d = direction(s);
  for (const size_t i : {1, 0}) {
    const bool is_true = s.is_all(s.in(i), 1), is_false = s.is_all(s.in(i), 0);
    if ((d == Direction::kEq && is_true) || (d == Direction::kNe && is_false)) return s.in(1 - i);
    if ((d == Direction::kEq && is_false) || (d == Direction::kNe && is_true))
      return s.w.unary(kNot, s.in(1 - i));
  }
  return {};
}

InstructionId select_of_same(const Site& s) {  // [50]
  return s.in(1) == s.in(2) ? s.in(1) : InstructionId{};
}

InstructionId select_by_truth(const Site& s) {  // [51, 52]
  if (s.is_all(s.in(0), 1)) return s.in(1);
  if (s.is_all(s.in(0), 0)) return s.in(2);
  return {};
}

InstructionId select_by_not(const Site& s) {  // [53]
  if (!s.is(s.in(0), kNot)) return {};
  return s.w.again(s.at, s.m.shape(s.at), {s.in(s.in(0), 0), s.in(2), s.in(1)});
}

InstructionId select_of_truths(const Site& s) {
  if (!is_pred(s, s.at) || !s.same_shape(s.in(0), s.at)) return {};
  if (s.is_all(s.in(1), 1) && s.is_all(s.in(2), 0)) return s.in(0);
  if (s.is_all(s.in(1), 0) && s.is_all(s.in(2), 1)) return s.w.unary(kNot, s.in(0));
  return {};
}

InstructionId convert_to_same(const Site& s) {
  return s.element(s.in(0)) == s.element(s.at) ? s.in(0) : InstructionId{};
}

/// The middle type holds all that the first one does, and the last is the first.
InstructionId convert_there_and_back(const Site& s) {
  const InstructionId middle = s.in(0);
  if (!s.is(middle, kConvert)) return {};
  const InstructionId a = s.in(middle, 0);
  if (s.element(a) != s.element(s.at)) return {};
  const hlo::PrimitiveRow &from = hlo::row(s.element(a)), &to = hlo::row(s.element(middle));
  using Kind = hlo::PrimitiveKind;
  const auto whole_bits = [](const hlo::PrimitiveRow& row) { return row.bits - (row.kind == Kind::kSigned); };
  const bool from_whole =
      from.kind == Kind::kSigned || from.kind == Kind::kUnsigned || from.kind == Kind::kPred;
  const bool to_whole = to.kind == Kind::kSigned || to.kind == Kind::kUnsigned;
  bool holds = false;
  if (from_whole && to_whole)
    holds = whole_bits(to) >= whole_bits(from) && (from.kind != Kind::kSigned || to.kind == Kind::kSigned);
  else if (from_whole && to.kind == Kind::kFloat)
    holds = whole_bits(from) <= to.format.mantissa_bits + 1 && to.float_has_sign &&
            whole_bits(from) <= (1 << (to.format.exponent_bits - 1));
  else if (from.kind == Kind::kFloat && to.kind == Kind::kFloat)
    holds = from.format.specials == ir::FloatSpecials::kIeee &&
            to.format.specials == ir::FloatSpecials::kIeee &&
            to.format.mantissa_bits >= from.format.mantissa_bits &&
            to.format.exponent_bits >= from.format.exponent_bits;
  return holds ? a : InstructionId{};
}

InstructionId bitcast_convert_to_same(const Site& s) {
  const InstructionId a = s.in(0);
  if (s.element(a) == s.element(s.at)) return a;
  if (!s.is(a, kBitcastConvert) || !s.same_shape(s.in(a, 0), s.at)) return {};
  return s.in(a, 0);
}

constexpr Rule kAlgebraLogicRules[] = {
    {kAnd, "and-with-number", and_with_number},
    {kOr, "or-with-number", or_with_number},
    {kXor, "xor-with-number", xor_with_number},
    {kNot, "not-twice", not_twice},
    {kShiftLeft, "shift-by-zero", shift_by_zero},
    {kShiftRightLogical, "shift-by-zero", shift_by_zero},
    {kShiftRightArithmetic, "shift-by-zero", shift_by_zero},
    {kCompare, "compare-not-negative", compare_not_negative},
    {kCompare, "compare-with-itself", compare_with_itself},
    {kCompare, "compare-constants", compare_constants},
    {kCompare, "compare-with-truth", compare_with_truth},
    {kSelect, "select-of-same", select_of_same},
    {kSelect, "select-by-truth", select_by_truth},
    {kSelect, "select-of-truths", select_of_truths},
    {kSelect, "select-by-not", select_by_not},
    {kConvert, "convert-to-same", convert_to_same},
    {kConvert, "convert-there-and-back", convert_there_and_back},
    {kBitcastConvert, "bitcast-convert-to-same", bitcast_convert_to_same},
};

}  // namespace

std::span<const Rule> algebra_of_logic() { return kAlgebraLogicRules; }

}  // namespace isomer::passes
