// Element by element. Bits are taken from numbers, and put together to numbers, in f64, which holds both:
// powers of two and products by them are exact there.
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/ops/xla_words.h"

namespace isomer::ir::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether it has the sign of numbers below 0; -0 is told by its reciprocal.
ValueId is_below(Compose& c, ValueId x) {
  const ValueId zero = c.with("equal", x, 0);
  return c.with("less", c.where(zero, c.call("reciprocal", {x}), x), 0);
}
/// `size`, at least 0, with the sign of x. By a product: a runtime's choice between two may lose the sign of
/// 0.
ValueId signed_as(Compose& c, ValueId x, ValueId size) {
  const auto number = [&](double value) { return c.constant(c.dtype(x), {}, {value}); };
  return c.call("mul", {size, c.where(is_below(c, x), number(-1), number(1))});
}

/// With the u = 1 + x that it becomes: x where u is 1, u where that is infinite; of the sign of x.
ValueId near_one(Compose& c, ValueId x, ValueId u, ValueId otherwise) {
  const ValueId inner = c.where(c.with("equal", u, 1), x, otherwise);
  return signed_as(c, x, c.call("abs", {c.where(c.with("equal", u, kInfinity), u, inner)}));
}

ValueId log1p(Builder& builder, const OpInstance&, Values in) {
  Compose c(builder);
  const ValueId u = c.with("add", in[0], 1);
  return near_one(c, in[0], u,
                  c.call("mul", {c.call("log", {u}), c.call("div", {in[0], c.with("sub", u, 1)})}));
}

ValueId expm1(Builder& builder, const OpInstance&, Values in) {
  Compose c(builder);
  const ValueId u = c.call("exp", {in[0]}), less = c.with("sub", u, 1);
  const ValueId exact = c.call("mul", {less, c.call("div", {in[0], c.call("log", {u})})});
  return near_one(c, in[0], u, c.where(c.with("equal", less, -1), less, exact));
}

ValueId cbrt(Builder& builder, const OpInstance&, Values in) {
  Compose c(builder);
  return signed_as(c, in[0], c.with("pow", c.call("abs", {in[0]}), 1.0 / 3));
}

/// A half is told by the exact difference to the integer below.
ValueId round_away(Builder& builder, const OpInstance&, Values in) {
  Compose c(builder);
  const ValueId size = c.call("abs", {in[0]}), below = c.call("floor", {size});
  const ValueId is_less = c.with("less", c.call("sub", {size, below}), 0.5);
  return signed_as(c, in[0], c.where(is_less, below, c.with("add", below, 1)));
}

ValueId atan2(Builder& builder, const OpInstance&, Values in) {
  Compose c(builder);
  const ValueId y = c.call("abs", {in[0]}), x = c.call("abs", {in[1]});
  const auto both = [&](ValueId a, ValueId b) { return c.call("and", {a, b}); };
  const ValueId at_zero = both(c.with("equal", y, 0), c.with("equal", x, 0));
  const ValueId far = both(c.with("equal", y, kInfinity), c.with("equal", x, kInfinity));
  const auto number = [&](double value) { return c.constant(c.dtype(x), {}, {value}); };
  const ValueId ratio = c.where(at_zero, number(0), c.where(far, number(1), c.call("div", {y, x})));
  const ValueId angle = c.call("atan", {ratio});
  const ValueId turned = c.with("add", c.call("neg", {angle}), std::numbers::pi);
  return signed_as(c, in[0], c.where(is_below(c, in[1]), turned, angle));
}

/// op(x, number), of unsigned integers of 64 bits.
ValueId with_bits(Compose& c, const char* op, ValueId x, int64_t number) {
  Builder& b = c.builder();
  return c.both(op, x, b.constant(add_constant(b.context(), DType::kU64, {}, std::vector{number})));
}
ValueId shifted(Compose& c, ValueId x, ValueId by, const char* direction) {
  return c.call("bit_shift", {x, by}, {{"direction", std::string(direction)}});
}
ValueId right(Compose& c, ValueId x, int64_t by) {
  Builder& b = c.builder();
  const ValueId count = b.constant(add_constant(b.context(), DType::kU64, {}, std::vector{by}));
  return shifted(c, x, c.spread(count, c.shape(x)), "RIGHT");
}
/// The bits of an integer of any type, none above its width.
ValueId own_bits(Compose& c, ValueId x) {
  const int width = bit_width(c.dtype(x));
  const ValueId wide = c.cast(x, DType::kU64);
  return width == 64 ? wide : with_bits(c, "bit_and", wide, (int64_t{1} << width) - 1);
}

struct WordsOnBits {
  Compose& c;
  ValueId masked(ValueId x, int64_t mask) const { return with_bits(c, "bit_and", x, mask); }
  ValueId right(ValueId x, int64_t by) const { return ops::right(c, x, by); }
  ValueId multiplied(ValueId x, int64_t by) const { return with_bits(c, "mul", x, by); }
  ValueId sum(ValueId x, ValueId y) const { return c.call("add", {x, y}); }
  ValueId difference(ValueId x, ValueId y) const { return c.call("sub", {x, y}); }
};

ValueId bit_count(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  return c.cast(counted_bits(WordsOnBits{c}, own_bits(c, in[0])), op.in_dtype(0));
}

ValueId leading_zeros(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  ValueId x = own_bits(c, in[0]);
  const int width = bit_width(op.in_dtype(0));
  for (int64_t by = 1; by < width; by *= 2) x = c.call("bit_or", {x, right(c, x, by)});
  const ValueId count = c.cast(counted_bits(WordsOnBits{c}, x), DType::kI64);
  return c.cast(c.with("add", c.call("neg", {count}), width), op.in_dtype(0));
}

/// Of integers with a sign: of what is below 0 all other bits are shifted to the right.
ValueId bit_shift(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const DType type = op.in_dtype(0);
  const ValueId by = c.cast(in[1], DType::kU64);
  if (op.s("direction") == "LEFT") return c.cast(shifted(c, c.cast(in[0], DType::kU64), by, "LEFT"), type);
  const ValueId x = c.cast(in[0], DType::kI64), is_negative = c.with("less", x, 0);
  const auto flipped = [&](ValueId v) { return c.where(is_negative, c.call("bit_not", {v}), v); };
  const ValueId moved = shifted(c, c.cast(flipped(x), DType::kU64), by, "RIGHT");
  return c.cast(flipped(c.cast(moved, DType::kI64)), type);
}

ValueId power_of_two(Compose& c, ValueId exponent) {
  return c.both("pow", c.constant(DType::kF64, {}, {2}), exponent);
}

ValueId float_of_bits(Compose& c, const FloatFormat& format, ValueId x) {
  const int fraction = format.mantissa_bits;
  const double most = std::ldexp(1.0, format.exponent_bits) - 1, unit = format.bias + fraction;
  const ValueId bits = own_bits(c, x);
  const auto field = [&](int from, int width) {
    return c.cast(with_bits(c, "bit_and", right(c, bits, from), (int64_t{1} << width) - 1), DType::kF64);
  };
  const auto number = [&](double value) { return c.constant(DType::kF64, {}, {value}); };
  const ValueId mantissa = field(0, fraction), exponent = field(fraction, format.exponent_bits);
  const ValueId special = c.where(c.with("equal", mantissa, 0), number(kInfinity),
                                  number(std::numeric_limits<double>::quiet_NaN()));
  const ValueId normal = c.call("mul", {c.with("add", mantissa, std::ldexp(1.0, fraction)),
                                        power_of_two(c, c.with("sub", exponent, unit))});
  const ValueId finite =
      c.where(c.with("equal", exponent, 0),
              c.with("mul", mantissa, std::ldexp(1.0, static_cast<int>(1 - unit))), normal);
  const ValueId size = c.where(c.with("equal", exponent, most), special, finite);
  const ValueId is_positive = c.with("equal", field(fraction + format.exponent_bits, 1), 0);
  return c.where(is_positive, size, c.call("neg", {size}));
}

/// The exponent is that of a logarithm, which is off by less than 1 and mended by two comparisons. All
/// numbers are within the integer's type, since runtimes put chains of casts together.
ValueId bits_of_float(Compose& c, const FloatFormat& format, ValueId x, DType to) {
  const int fraction = format.mantissa_bits;
  const double most = std::ldexp(1.0, format.exponent_bits) - 1, one = std::ldexp(1.0, fraction);
  const auto number = [&](double value) { return c.constant(DType::kF64, {}, {value}); };
  const ValueId is_zero = c.with("equal", x, 0), is_infinite = c.call("is_inf", {x}),
                is_none = c.call("is_nan", {x});
  const ValueId has_none = c.call("or", {is_zero, c.call("or", {is_infinite, is_none})});
  const ValueId size = c.where(has_none, number(1), c.call("abs", {x}));
  const ValueId guess = c.call("floor", {c.with("mul", c.call("log", {size}), std::numbers::log2e)});
  const auto one_where = [&](ValueId truth) { return c.cast(truth, DType::kF64); };
  const ValueId above = one_where(c.call("less", {size, power_of_two(c, guess)}));
  const ValueId below = one_where(c.call("less_equal", {power_of_two(c, c.with("add", guess, 1)), size}));
  const double least = 1 - format.bias;
  const ValueId exponent = c.with("max", c.call("add", {c.call("sub", {guess, above}), below}), least);
  const ValueId scale = power_of_two(c, c.with("add", c.call("neg", {exponent}), fraction));
  const ValueId finite =
      c.call("add", {c.with("mul", c.with("sub", exponent, least), one), c.call("mul", {size, scale})});
  const ValueId usual = c.where(is_zero, number(0), c.where(is_infinite, number(most * one), finite));
  const double sign = std::ldexp(has_sign(to) ? -1.0 : 1.0, fraction + format.exponent_bits);
  const ValueId with_sign = c.where(is_below(c, x), c.with("add", usual, sign), usual);
  return c.cast(c.where(is_none, number(most * one + one / 2), with_sign), to);
}

ValueId bit_cast(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const DType from = op.in_dtype(0), to = static_cast<DType>(op.i("to"));
  if (bit_width(from) > 32 || is_integer(from) == is_integer(to)) return {};
  if (is_integer(from)) return c.cast(float_of_bits(c, row(to).format, in[0]), to);
  return bits_of_float(c, row(from).format, c.cast(in[0], DType::kF64), to);
}

}  // namespace

Expand element_in_words(std::string_view name) {
  constexpr std::pair<std::string_view, ValueId (*)(Builder&, const OpInstance&, Values)> kWords[] = {
      {"log1p", log1p},
      {"expm1", expm1},
      {"cbrt", cbrt},
      {"round_away", round_away},
      {"atan2", atan2},
      {"bit_count", bit_count},
      {"leading_zeros", leading_zeros},
      {"bit_shift", bit_shift},
      {"bit_cast", bit_cast}};
  for (const auto& [own, words] : kWords)
    if (own == name) return words;
  return {};
}

}  // namespace isomer::ir::ops
