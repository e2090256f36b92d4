// Pointwise operators of two operands (and `where`): a table of rows. Operands have one shape and, but for
// the condition of `where`, one element type.
#include <fmt/format.h>

#include <limits>

#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/elementwise.h"
#include "ir/ops/families.h"
#include "ir/ops/xla_words.h"
#include "ir/scalar_table.h"

namespace isomer::ir::ops {
namespace {

enum class Order : uint8_t { kAsGiven, kSwapped };
enum class OfTiles : uint8_t { kNo, kYes };

struct BinaryRow {
  const char* name;
  ScalarOp op;
  Takes takes;
  bool compares;  ///< the result is bool
  Spelling spelling;
  OfTiles of_tiles = OfTiles::kNo;
  Order order = Order::kAsGiven;
};

std::vector<TypesSince> arithmetic() {
  return {{7, kOnnxFloats | kOnnxWide}, {13, kOnnxBFloats | kOnnxWide}, {14, kOnnxBFloats | kOnnxIntegers}};
}
std::vector<TypesSince> powers() {
  constexpr DTypeSet kSome = dtype_set(DType::kI32) | dtype_set(DType::kI64);
  return {{7, kOnnxFloats}, {12, kOnnxFloats | kSome}, {13, kOnnxBFloats | kSome}};
}
std::vector<TypesSince> equalities() {
  return {{7, dtype_set(DType::kBool) | dtype_set(DType::kI32) | dtype_set(DType::kI64)},
          {11, kOnnxAll & ~dtype_set(DType::kBF16)},
          {13, kOnnxAll}};
}
std::vector<TypesSince> orders() {
  return {{7, kOnnxFloats}, {9, kOnnxFloats | kOnnxIntegers}, {13, kOnnxBFloats | kOnnxIntegers}};
}
std::vector<TypesSince> weak_orders() {
  return {{12, kOnnxFloats | kOnnxIntegers}, {16, kOnnxBFloats | kOnnxIntegers}};
}

std::vector<BinaryRow> binary_rows() {
  return {
      {"add", ScalarOp::kAdd, Takes::kNumbers, false, typed(onnx("Add", 7), arithmetic()), OfTiles::kYes},
      {"sub", ScalarOp::kSub, Takes::kNumbers, false, typed(onnx("Sub", 7), arithmetic()), OfTiles::kYes},
      {"mul", ScalarOp::kMul, Takes::kNumbers, false, typed(onnx("Mul", 7), arithmetic()), OfTiles::kYes},
      {"div", ScalarOp::kDiv, Takes::kNumbers, false, typed(onnx("Div", 7), arithmetic()), OfTiles::kYes},
      {"pow", ScalarOp::kPow, Takes::kOrdered, false, typed(onnx("Pow", 7), powers()), OfTiles::kYes},
      {"min", ScalarOp::kMin, Takes::kNumbers, false,
       folding(typed(onnx("Min", 6), numbers_integers_since_12()))},
      {"max", ScalarOp::kMax, Takes::kNumbers, false,
       folding(typed(onnx("Max", 6), numbers_integers_since_12()))},
      {"and", ScalarOp::kAnd, Takes::kBools, false, onnx("And", 7)},
      {"or", ScalarOp::kOr, Takes::kBools, false, onnx("Or", 7)},
      {"xor", ScalarOp::kXor, Takes::kBools, false, onnx("Xor", 7)},
      {"equal", ScalarOp::kEqual, Takes::kAny, true, typed(onnx("Equal", 7), equalities())},
      {"less", ScalarOp::kLess, Takes::kNumbers, true, typed(onnx("Less", 7), orders())},
      {"less_equal", ScalarOp::kLessEqual, Takes::kNumbers, true,
       typed(onnx("LessOrEqual", 12), weak_orders())},
      {"greater", ScalarOp::kLess, Takes::kNumbers, true, typed(onnx("Greater", 7), orders()), OfTiles::kNo,
       Order::kSwapped},
      {"greater_equal", ScalarOp::kLessEqual, Takes::kNumbers, true,
       typed(onnx("GreaterOrEqual", 12), weak_orders()), OfTiles::kNo, Order::kSwapped},
      {"bit_and", ScalarOp::kAnd, Takes::kIntegers, false, onnx("BitwiseAnd", 18)},
      {"bit_or", ScalarOp::kOr, Takes::kIntegers, false, onnx("BitwiseOr", 18)},
      {"bit_xor", ScalarOp::kXor, Takes::kIntegers, false, onnx("BitwiseXor", 18)},
  };
}

Inferred pointwise_type(const OpInstance& op, Takes set, bool compares) {
  if (auto bad = check_operands(op, set); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_same_shapes(op); !bad.empty()) return Inferred::fail(bad);
  return compares ? Inferred::ok(op.ctx.tensor_type(DType::kBool, op.in_shape(0)))
                  : Inferred::ok(op.inputs[0]);
}

// Of u64, which the scalar language keeps as signed: its order is that of signed integers once the highest
// bit is flipped.

ScalarExpr flipped(const ScalarExpr& x) {
  return scalar::apply(ScalarOp::kXor, x, scalar::integer(std::numeric_limits<int64_t>::min()));
}

ScalarExpr unsigned_less(const ScalarExpr& a, const ScalarExpr& b) {
  return scalar::apply(ScalarOp::kLess, flipped(a), flipped(b));
}

/// Half of a by b, doubled, is short of a by b by at most 1. Of a b above 2^63 the quotient is 0 or 1.
ScalarExpr unsigned_quotient(const ScalarExpr& a, const ScalarExpr& b) {
  const ScalarExpr one = scalar::integer(1), none = scalar::integer(0);
  const ScalarExpr half = scalar::apply(ScalarOp::kShiftRight, a, one) / b;
  const ScalarExpr twice = scalar::apply(ScalarOp::kShiftLeft, half, one);
  const ScalarExpr small = scalar::select(unsigned_less(a - twice * b, b), twice, twice + one);
  const ScalarExpr large = scalar::select(unsigned_less(a, b), none, one);
  return scalar::select(scalar::apply(ScalarOp::kLess, b, none), large, small);
}

ScalarExpr of_unsigned(ScalarOp op, const ScalarExpr& a, const ScalarExpr& b) {
  switch (op) {
    case ScalarOp::kLess:
    case ScalarOp::kLessEqual: return scalar::apply(op, flipped(a), flipped(b));
    case ScalarOp::kMax:
    case ScalarOp::kMin: return flipped(scalar::apply(op, flipped(a), flipped(b)));
    case ScalarOp::kDiv: return unsigned_quotient(a, b);
    default: return scalar::apply(op, a, b);
  }
}

OpDef binary(const BinaryRow& row) {
  OpDef def = operation(row.name, MeaningKind::kPointwise, 2, {},
                        fmt::format("{} of two tensors of one shape and element type{}.", row.spelling.name,
                                    row.compares ? "; bool" : ""));
  def.infer = [set = row.takes, compares = row.compares](const OpInstance& op) {
    return pointwise_type(op, set, compares);
  };
  def.nests = [op = row.op, swapped = row.order == Order::kSwapped](const OpInstance& at) {
    const ScalarExpr a = scalar::read(swapped ? 1 : 0), b = scalar::read(swapped ? 0 : 1);
    return pointwise_nest(at,
                          at.in_dtype(0) == DType::kU64 ? of_unsigned(op, a, b) : scalar::apply(op, a, b));
  };
  def.spellings = {row.spelling};
  def.meets = Meets::kAll;
  def.commutes = ir::row(row.op).commutes;
  if (row.of_tiles == OfTiles::kYes) {
    def.levels = kAllLevels;
    in_mirage(def, def.name);
  }
  (row.order == Order::kAsGiven ? def.element : def.mirrored) = row.op;
  if (row.takes == Takes::kBools) def.elements.assign(2, Elements::kBools);
  if (row.takes == Takes::kIntegers) def.elements.assign(2, Elements::kIntegers);
  if (row.op == ScalarOp::kDiv) def.wishes = {{1, "divisor of", 0.5, 2, 1, 4}};
  if (row.op == ScalarOp::kPow) def.wishes = {{0, "power of", 0.1, 2, 1, 0}};
  return def;
}

/// The remainder, but of an infinite divisor what is divided.
ScalarExpr beside_infinity(const ScalarExpr& a, const ScalarExpr& b, const ScalarExpr& remainder) {
  const auto infinite = [](const ScalarExpr& x) { return scalar::apply(ScalarOp::kIsInf, x); };
  return scalar::select(infinite(b), scalar::select(infinite(a), remainder, a), remainder);
}

/// a - b trunc(a / b), the remainder with the sign of a.
ScalarExpr float_remainder(const ScalarExpr& a, const ScalarExpr& b) {
  const ScalarExpr quotient = a / b;
  const ScalarExpr towards_zero =
      scalar::select(scalar::apply(ScalarOp::kLess, quotient, scalar::number(0)),
                     scalar::apply(ScalarOp::kCeil, quotient), scalar::apply(ScalarOp::kFloor, quotient));
  return beside_infinity(a, b, a - b * towards_zero);
}

/// The remainder with the sign of b.
ScalarExpr float_modulus(const ScalarExpr& a, const ScalarExpr& b) {
  const auto negative = [](const ScalarExpr& x) {
    return scalar::apply(ScalarOp::kLess, x, scalar::number(0));
  };
  const ScalarExpr rest = float_remainder(a, b);
  const ScalarExpr differ = scalar::apply(ScalarOp::kXor, negative(rest), negative(b));
  const ScalarExpr none = scalar::apply(ScalarOp::kEqual, rest, scalar::number(0));
  return scalar::select(none, rest, scalar::select(differ, rest + b, rest));
}

OpDef mod() {
  OpDef def = operation("mod", MeaningKind::kPointwise, 2, {},
                        "Remainder: with the divisor's sign, or with fmod 1 with the dividend's.",
                        {int_attr("fmod", 0)});
  def.infer = [](const OpInstance& op) {
    const int64_t fmod = op.i("fmod");
    if (fmod != 0 && fmod != 1) return Inferred::fail(fmt::format("expected fmod 0 or 1, got {}", fmod));
    return pointwise_type(op, Takes::kNumbers, false);
  };
  def.nests = [](const OpInstance& op) {
    const ScalarExpr a = scalar::read(0), b = scalar::read(1);
    if (op.in_dtype(0) == DType::kU64) return pointwise_nest(op, a - unsigned_quotient(a, b) * b);
    if (is_float(op.in_dtype(0)))
      return pointwise_nest(op, op.i("fmod") ? float_remainder(a, b) : float_modulus(a, b));
    return pointwise_nest(op, scalar::apply(op.i("fmod") ? ScalarOp::kFMod : ScalarOp::kMod, a, b));
  };
  const auto floored = [](const OpInstance& op) {
    return op.i("fmod") == 0 && is_float(op.in_dtype(0)) ? "its remainder of floats is newer" : "";
  };
  def.spellings = {refusing(typed(onnx("Mod", 10, 27), numbers_bfloat_since_13()), floored),
                   typed(onnx("Mod", 28), numbers_bfloat_since_13())};
  def.range = RangeKind::kRemainder;
  def.meets = Meets::kAll;
  def.wishes = {{1, "divisor of", 1, 4, 1, 4}};
  return def;
}

OpDef bit_shift() {
  OpDef def = operation("bit_shift", MeaningKind::kPointwise, 2, {},
                        "x shifted by y bits; direction LEFT or RIGHT (integers with a sign keep it).",
                        {string_attr("direction", {}, {"LEFT", "RIGHT"})});
  def.infer = [](const OpInstance& op) { return pointwise_type(op, Takes::kIntegers, false); };
  def.nests = [](const OpInstance& op) {
    const ScalarExpr x = scalar::read(0), y = scalar::read(1);
    if (op.s("direction") == "LEFT") return pointwise_nest(op, scalar::apply(ScalarOp::kShiftLeft, x, y));
    const ScalarExpr shifted = scalar::apply(ScalarOp::kShiftRight, x, y);
    if (!has_sign(op.in_dtype(0))) return pointwise_nest(op, shifted);
    // Of what is below 0 all other bits are shifted: ~(~x >> y).
    const auto flipped = [](const ScalarExpr& v) { return scalar::apply(ScalarOp::kBitNot, v); };
    const ScalarExpr below = flipped(scalar::apply(ScalarOp::kShiftRight, flipped(x), y));
    const ScalarExpr negative = scalar::apply(ScalarOp::kLess, x, scalar::integer(0));
    return pointwise_nest(op, scalar::select(negative, below, shifted));
  };
  constexpr DTypeSet kUnsigned = kOnnxIntegers & ~kOnnxSigned;
  def.spellings = {typed(onnx("BitShift", 11), {{11, kUnsigned}, {28, kOnnxIntegers}})};
  def.meets = Meets::kAll;
  def.older_words = element_in_words(def.name);
  def.elements.assign(2, Elements::kUnsigned);
  return def;
}

OpDef prelu() {
  OpDef def = operation("prelu", MeaningKind::kPointwise, 2, {},
                        "x where x >= 0, else slope x (x, slope of x's shape).");
  def.infer = [](const OpInstance& op) { return pointwise_type(op, Takes::kOrdered, false); };
  def.nests = [](const OpInstance& op) {
    const ScalarExpr x = scalar::read(0);
    const ScalarExpr negative = scalar::apply(ScalarOp::kLess, x, literal(op.in_dtype(0), 0));
    return pointwise_nest(op, scalar::select(negative, scalar::read(1) * x, x));
  };
  def.spellings = {typed(onnx("PRelu", 7),
                         {{7, kOnnxFloats}, {9, kOnnxFloats | kOnnxWide}, {16, kOnnxBFloats | kOnnxWide}})};
  def.meets = Meets::kLastAlone;
  return def;
}

OpDef where() {
  OpDef def = operation("where", MeaningKind::kPointwise, 3, {},
                        "x where the condition (bool) holds, else y (condition, x, y).");
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kBools); !bad.empty()) return Inferred::fail(bad);
    for (size_t i : {size_t{1}, size_t{2}})
      if (auto bad = check_operand(op, i, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    if (op.in_dtype(1) != op.in_dtype(2))
      return Inferred::fail(fmt::format("expected one element type, got {} and {}", name(op.in_dtype(1)),
                                        name(op.in_dtype(2))));
    if (auto bad = check_same_shapes(op); !bad.empty()) return Inferred::fail(bad);
    return Inferred::ok(op.inputs[1]);
  };
  def.nests = [](const OpInstance& op) {
    return pointwise_nest(op, scalar::select(scalar::read(0), scalar::read(1), scalar::read(2)));
  };
  def.spellings = {typed(onnx("Where", 9), {{9, kOnnxAll & ~dtype_set(DType::kBF16)}, {16, kOnnxAll}})};
  def.spellings[0].typed_operand = 1;
  def.meets = Meets::kAll;
  def.range = RangeKind::kWhere;
  def.elements = {Elements::kBools};
  return def;
}

}  // namespace

void register_elementwise_binary(OpTable& table) {
  for (const BinaryRow& row : binary_rows()) table.add(binary(row));
  table.add(mod());
  table.add(bit_shift());
  table.add(prelu());
  table.add(where());
}

}  // namespace isomer::ir::ops
