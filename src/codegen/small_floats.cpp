// A pattern moved to where the bits of a wider float stand is that float, but for a power of two: exponents
// count from another place, and a product with it sets this right, subnormal numbers too (Giesen, "Half to
// float done quick", The ryg blog, 2012, for halves, where infinities and NaN are told by a comparison as
// here; ours takes any row of the table). Rounding is ours: what is subnormal there is rounded to its place
// by adding and taking off a large number, all else by adding half of what is cut off, or a little less where
// that leaves an even number. No case of a table and no branch is left, so lanes do it at once.
//
// In single precision the wider float holds all numbers of the type only where its exponents do: of more than
// 8 bits of exponent, or exponents that count from further below or reach further up, numbers would be lost.
#include "codegen/small_floats.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "codegen/llvm_lanes.h"
#include "ir/float_bits.h"

namespace isomer::codegen {
namespace {

/// What numbers are computed in.
struct WideFloat {
  LaneType number, pattern;
  int bits, mantissa, bias;
};
constexpr WideFloat kOfSingle = {LaneType::kF32, LaneType::kI32, 32, 23, 127},
                    kOfDouble = {LaneType::kF64, LaneType::kI64, 64, 52, 1023};

std::string integer_lanes(int bits, int lanes) {
  return lanes == 1 ? fmt::format("i{}", bits) : fmt::format("<{} x i{}>", lanes, bits);
}

}  // namespace

bool single_holds(const ir::FloatFormat& format) {
  return format.mantissa_bits > 0 && format.bias >= 0 && format.bias <= kOfSingle.bias &&
         format.largest <= std::numeric_limits<float>::max();
}

bool is_small_float(ir::DType dtype) {
  const ir::DTypeRow& row = ir::row(dtype);
  const ir::FloatFormat& f = row.format;
  return row.kind == ir::DTypeKind::kFloat && dtype != ir::DType::kF16 && dtype != ir::DType::kBF16 &&
         (row.bits == 8 || row.bits == 16) && 1 + f.exponent_bits + f.mantissa_bits == row.bits &&
         single_holds(f);
}

Scalar decoded(ScalarText& text, ir::DType dtype, const std::string& pattern, int lanes, bool in_double) {
  const WideFloat& w = in_double ? kOfDouble : kOfSingle;
  const ir::FloatFormat& f = ir::row(dtype).format;
  const int width = ir::bit_width(dtype);
  const int64_t sign = ir::sign_bit(f), top = ir::exponent_mask(f);
  const Lanes p(text, w.pattern, lanes,
                text.value(fmt::format("zext {} {} to {}", integer_lanes(width, lanes), pattern,
                                       integer_lanes(w.bits, lanes))));
  const Lanes magnitude = p & (sign - 1);
  Lanes v = from_bits(magnitude << (w.mantissa - f.mantissa_bits)) * std::ldexp(1.0, w.bias - f.bias);
  const Lanes nan = v.like(std::numeric_limits<double>::quiet_NaN());
  switch (f.specials) {
    case ir::FloatSpecials::kIeee:
      v = choose(magnitude == top, std::numeric_limits<double>::infinity(), choose(magnitude > top, nan, v));
      break;
    case ir::FloatSpecials::kNanAllOnes: v = choose(magnitude == sign - 1, nan, v); break;
    case ir::FloatSpecials::kNanIsMinusZero: v = choose(p == sign, nan, v); break;
    case ir::FloatSpecials::kNone: break;
  }
  v = from_bits(codegen::bits(v) | (high_bits(p, width - 1) << (w.bits - 1)));
  return {v.name(), lanes};
}

std::string encoded(ScalarText& text, ir::DType dtype, const Scalar& number, bool in_double, bool rounds) {
  const WideFloat& w = in_double ? kOfDouble : kOfSingle;
  const ir::FloatFormat& f = ir::row(dtype).format;
  const int width = ir::bit_width(dtype), cut = w.mantissa - f.mantissa_bits;
  const double infinity = std::numeric_limits<double>::infinity();
  const Lanes x(text, w.number, number.lanes, number.text), a = absolute(x);
  // Numbers around which floats are as far apart as subnormal ones of the type.
  const double large = std::ldexp(1.5, w.mantissa + 1 - f.bias - f.mantissa_bits);
  const Lanes placed = choose(a < std::ldexp(1.0, 1 - f.bias), (a + large) - large, a);
  const Lanes whole = bits(placed * std::ldexp(1.0, f.bias - w.bias));
  const Lanes odd = high_bits(whole, cut) & 1;
  const Lanes rounded = high_bits(whole + ((int64_t{1} << (cut - 1)) - 1) + odd, cut);
  const int64_t infinite = f.specials == ir::FloatSpecials::kIeee ? ir::exponent_mask(f)
                                                                  : ir::encode_float(f, infinity),
                largest = ir::encode_float(f, f.largest), beyond = rounds && f.saturates ? largest : infinite;
  Lanes out = choose_lanes(rounded > largest, rounded.like(beyond), rounded);
  const Lanes negative = high_bits(bits(x), w.bits - 1) << (width - 1);
  const bool one_zero =
      f.specials == ir::FloatSpecials::kNanIsMinusZero;  // and NaN in the place of the other
  out = one_zero ? choose(out == 0, out, out | negative) : out | negative;
  out = choose_lanes(x == x, out, out.like(int64_t{ir::encode_float(f, std::nan(""))}));
  return text.value(fmt::format("trunc {} {} to {}", integer_lanes(w.bits, number.lanes), out.name(),
                                integer_lanes(width, number.lanes)));
}

}  // namespace isomer::codegen
