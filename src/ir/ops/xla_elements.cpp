// Pointwise operators of XLA that ONNX has no word for: functions of floats that are exact near 0 where a
// composition of others is not, counts of bits, and numbers as the bits that they are stored in. What they
// mean is what XLA's operation semantics say (openxla.org/xla/operation_semantics). XLA copies the bits of a
// bit cast; ours is arithmetic, since evaluators have numbers and not their bits, so that all NaN are one.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/elementwise.h"
#include "ir/ops/families.h"
#include "ir/ops/xla_words.h"
#include "ir/scalar_table.h"

namespace isomer::ir::ops {
namespace {

ScalarExpr of(ScalarOp op, const ScalarExpr& x) { return scalar::apply(op, x); }
ScalarExpr of(ScalarOp op, const ScalarExpr& x, const ScalarExpr& y) { return scalar::apply(op, x, y); }
ScalarExpr whole(int64_t value) { return scalar::integer(value); }

struct Function {
  const char* doc;
  ScalarRow row;
};

/// Of which nothing is known but the value.
ScalarRow row_of(const char* name, int operands, const CodeForm& code) {
  return {.name = name,
          .operands = operands,
          .flops = 8,
          .arbitrary = name,
          .outside_lax = "a function that is neither multi-linear, division, exponential nor square root",
          .code = code};
}

Function of_one(const char* name, const char* doc, double (*value)(double),
                const CodeForm& code = CodeForm::library()) {
  Function out = {doc, row_of(name, 1, code)};
  out.row.of_one = value;
  out.row.continuous = true;
  return out;
}

/// With rows of the scalar table that only these operators need; tables of operators share them.
const std::vector<std::pair<Function, ScalarOp>>& functions() {
  static const std::vector<std::pair<Function, ScalarOp>> all = [] {
    Function angle = {"The angle of the point (y, x), operands in this order, in [-pi, pi].",
                      row_of("atan2", 2, CodeForm::library())};
    angle.row.of_two = [](double y, double x) { return std::atan2(y, x); };
    Function nearest = of_one(
        "round_away", "x to the nearest integer, halves away from 0.", [](double x) { return std::round(x); },
        CodeForm::none());
    nearest.row.continuous = false;
    std::vector<std::pair<Function, ScalarOp>> out;
    for (const Function& f :
         {of_one("expm1", "exp(x) - 1.", [](double x) { return std::expm1(x); }),
          of_one("log1p", "log(1 + x).", [](double x) { return std::log1p(x); }),
          of_one("cbrt", "The cube root of x.", [](double x) { return std::cbrt(x); }), nearest, angle})
      out.emplace_back(f, add_scalar_op(f.row));
    return out;
  }();
  return all;
}

OpDef function(const Function& f, ScalarOp op) {
  OpDef def = operation(f.row.name, MeaningKind::kPointwise, f.row.operands, {}, f.doc);
  def.infer = [](const OpInstance& at) {
    if (auto bad = check_operands(at, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
    const std::string bad = check_same_shapes(at);
    return bad.empty() ? Inferred::ok(at.inputs[0]) : Inferred::fail(bad);
  };
  def.nests = [op, two = f.row.operands == 2](const OpInstance& at) {
    const ScalarExpr x = scalar::read(0);
    return pointwise_nest(at, two ? of(op, x, scalar::read(1)) : of(op, x));
  };
  def.element = op;
  def.older_words = element_in_words(def.name);
  if (def.name == "log1p") def.wishes = {{0, "logarithm of 1 and", -0.9, 1}};
  return def;
}

// --- counts of bits

/// The integer's own bits, of its width.
ScalarExpr own_bits(DType dtype, const ScalarExpr& x) {
  const int width = bit_width(dtype);
  return width == 64 ? x : of(ScalarOp::kAnd, x, whole((int64_t{1} << width) - 1));
}

ScalarExpr right(const ScalarExpr& x, int64_t by) { return of(ScalarOp::kShiftRight, x, whole(by)); }

struct StepsOnBits {
  ScalarExpr masked(const ScalarExpr& x, int64_t mask) const { return of(ScalarOp::kAnd, x, whole(mask)); }
  ScalarExpr right(const ScalarExpr& x, int64_t by) const { return of(ScalarOp::kShiftRight, x, whole(by)); }
  ScalarExpr multiplied(const ScalarExpr& x, int64_t by) const { return x * whole(by); }
  ScalarExpr sum(const ScalarExpr& x, const ScalarExpr& y) const { return x + y; }
  ScalarExpr difference(const ScalarExpr& x, const ScalarExpr& y) const { return x - y; }
};
ScalarExpr bit_count(const ScalarExpr& x) { return counted_bits(StepsOnBits{}, x); }

OpDef count_of_bits(const char* name, const char* doc, bool leading_zeros) {
  OpDef def = operation(name, MeaningKind::kPointwise, 1, {}, doc);
  def.infer = [](const OpInstance& op) {
    const std::string bad = check_operand(op, 0, Takes::kIntegers);
    return bad.empty() ? Inferred::ok(op.inputs[0]) : Inferred::fail(bad);
  };
  def.nests = [leading_zeros](const OpInstance& op) {
    const DType dtype = op.in_dtype(0);
    ScalarExpr x = own_bits(dtype, scalar::read(0));
    if (!leading_zeros) return pointwise_nest(op, bit_count(x));
    for (int64_t by = 1; by < bit_width(dtype); by *= 2) x = of(ScalarOp::kOr, x, right(x, by));
    return pointwise_nest(op, whole(bit_width(dtype)) - bit_count(x));
  };
  def.older_words = element_in_words(def.name);
  def.elements = {Elements::kIntegers};
  return def;
}

// --- numbers as bits

/// 2 to the power of an integer.
ScalarExpr power_of_two(const ScalarExpr& exponent) {
  return of(ScalarOp::kPow, scalar::number(2), of(ScalarOp::kToNumber, exponent));
}

ScalarExpr float_of_bits(const FloatFormat& format, const ScalarExpr& bits) {
  const int fraction = format.mantissa_bits;
  const int64_t most = (int64_t{1} << format.exponent_bits) - 1, one = int64_t{1} << fraction;
  const ScalarExpr exponent = of(ScalarOp::kAnd, right(bits, fraction), whole(most));
  const ScalarExpr mantissa = of(ScalarOp::kAnd, bits, whole(one - 1));
  const ScalarExpr none = of(ScalarOp::kEqual, mantissa, whole(0));
  const ScalarExpr special = scalar::select(none, scalar::number(std::numeric_limits<double>::infinity()),
                                            scalar::number(std::numeric_limits<double>::quiet_NaN()));
  const int64_t unit = int64_t{format.bias} + fraction;
  const ScalarExpr small =
      of(ScalarOp::kToNumber, mantissa) * scalar::number(std::ldexp(1.0, static_cast<int>(1 - unit)));
  const ScalarExpr normal =
      of(ScalarOp::kToNumber, mantissa + whole(one)) * power_of_two(exponent - whole(unit));
  const ScalarExpr size =
      scalar::select(of(ScalarOp::kEqual, exponent, whole(most)), special,
                     scalar::select(of(ScalarOp::kEqual, exponent, whole(0)), small, normal));
  const ScalarExpr negative = of(ScalarOp::kAnd, right(bits, fraction + format.exponent_bits), whole(1));
  return scalar::select(negative, -size, size);
}

/// The exponent of a number above 0: its logarithm is off by less than 1, which two comparisons mend.
ScalarExpr exponent_of(const ScalarExpr& size) {
  const ScalarExpr guess =
      of(ScalarOp::kToInteger,
         of(ScalarOp::kFloor, of(ScalarOp::kLog, size) * scalar::number(1.4426950408889634)));
  const ScalarExpr above = of(ScalarOp::kLess, size, power_of_two(guess));
  const ScalarExpr below = of(ScalarOp::kLessEqual, power_of_two(guess + whole(1)), size);
  return guess - above + below;
}

ScalarExpr bits_of_float(const FloatFormat& format, const ScalarExpr& x) {
  const int fraction = format.mantissa_bits;
  const int64_t most = (int64_t{1} << format.exponent_bits) - 1, one = int64_t{1} << fraction;
  const ScalarExpr zero = of(ScalarOp::kEqual, x, scalar::number(0));
  const ScalarExpr infinite = of(ScalarOp::kIsInf, x), none = of(ScalarOp::kIsNan, x);
  // 1 where there is no logarithm.
  const ScalarExpr size = scalar::select(of(ScalarOp::kOr, zero, of(ScalarOp::kOr, infinite, none)),
                                         scalar::number(1), of(ScalarOp::kAbs, x));
  const ScalarExpr least = whole(1 - format.bias);
  const ScalarExpr exponent = of(ScalarOp::kMax, exponent_of(size), least);
  // With the leading one where there is one, which then counts the exponent up by one. In two factors, since
  // the power may be beyond the float's own range: the first gives less than 4.
  const ScalarExpr scaled = size * power_of_two(whole(1) - exponent);
  const ScalarExpr mantissa = of(ScalarOp::kToInteger, scaled * scalar::number(std::ldexp(0.5, fraction)));
  const ScalarExpr finite = (exponent - least) * whole(one) + mantissa;
  const ScalarExpr usual =
      scalar::select(zero, whole(0), scalar::select(infinite, whole(most << fraction), finite));
  const ScalarExpr below = scalar::number(0);
  const ScalarExpr negative =
      scalar::select(zero, of(ScalarOp::kLess, scalar::number(1) / x, below), of(ScalarOp::kLess, x, below));
  const ScalarExpr sign = of(ScalarOp::kShiftLeft, negative, whole(fraction + format.exponent_bits));
  return scalar::select(none, whole((most << fraction) + one / 2), usual + sign);
}

bool is_plain_float(DType dtype) {
  return takes(Takes::kFloats, dtype) && row(dtype).format.specials == FloatSpecials::kIeee;
}

Inferred bit_cast_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kNumbers); !bad.empty()) return Inferred::fail(bad);
  const DType from = op.in_dtype(0), to = static_cast<DType>(op.i("to"));
  const bool makes = takes(Takes::kIntegers, from) && is_plain_float(to);
  const bool takes_apart = is_plain_float(from) && from != DType::kF64 && takes(Takes::kIntegers, to);
  if (bit_width(from) != bit_width(to) || (!makes && !takes_apart))
    return Inferred::fail(
        fmt::format("expected integers and floats of as many bits, or floats of at most 32 bits and "
                    "integers, got {} to {}",
                    name(from), name(to)));
  return Inferred::ok(op.ctx.tensor_type(to, op.in_shape(0)));
}

OpDef bit_cast() {
  OpDef def = operation("bit_cast", MeaningKind::kPointwise, 1, {},
                        "The element of type `to` that is stored as x is: floats of integers, integers of "
                        "floats of at most 32 bits. All NaN are one, without a sign.",
                        {int_attr("to", {}, AttrRole::kDType)});
  def.infer = bit_cast_type;
  def.nests = [](const OpInstance& op) {
    const DType from = op.in_dtype(0), to = op.out_type().dtype;
    const ScalarExpr x = scalar::read(0);
    if (is_float(to)) return pointwise_nest(op, float_of_bits(row(to).format, own_bits(from, x)));
    return pointwise_nest(op, scalar::cast(to, bits_of_float(row(from).format, x)));
  };
  def.older_words = element_in_words(def.name);
  def.elements = {Elements::kConverted};
  return def;
}

}  // namespace

void register_xla_elements(OpTable& table) {
  for (const auto& [f, op] : functions()) table.add(function(f, op));
  table.add(count_of_bits("bit_count", "How many bits of x are 1.", false));
  table.add(count_of_bits("leading_zeros", "How many bits of x before its first 1 are 0.", true));
  table.add(bit_cast());
}

}  // namespace isomer::ir::ops
