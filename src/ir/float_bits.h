// Floats of at most 16 bits as their patterns, by what their row says of them (dtype.h): rounded to nearest,
// ties to even. What is too large becomes infinite, or the largest where the format saturates, or the NaN of
// a format without infinities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/dtype.h"

namespace isomer::ir {

/// What is too large may be infinite here in a format that has no infinities.
inline double round_float(const FloatFormat& f, double value) {
  if (std::isnan(value)) return f.specials == FloatSpecials::kNone ? 0 : value;
  if (value == 0) return f.specials == FloatSpecials::kNanIsMinusZero ? 0 : value;
  double rounded = value;
  if (!std::isinf(value)) {
    const int step = std::max(std::ilogb(value), 1 - f.bias) - f.mantissa_bits;
    rounded = std::ldexp(std::nearbyint(std::ldexp(value, -step)), step);
  }
  if (std::abs(rounded) > f.largest)
    return std::copysign(f.saturates ? f.largest : std::numeric_limits<double>::infinity(), value);
  return rounded == 0 && f.specials == FloatSpecials::kNanIsMinusZero ? 0 : rounded;
}

/// The bit of the sign; those of the exponent.
inline uint32_t sign_bit(const FloatFormat& f) { return 1u << (f.exponent_bits + f.mantissa_bits); }
inline uint32_t exponent_mask(const FloatFormat& f) {
  return ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
}

/// The pattern of a value. An infinity stays one, or the NaN of a format without: that conversions saturate
/// is round_float's, and what `cast_unsaturated` makes infinite is no number that is too large.
inline uint32_t encode_float(const FloatFormat& f, double value) {
  const uint32_t sign = sign_bit(f), top = exponent_mask(f);
  const double v = std::isinf(value) ? value : round_float(f, value);
  const bool ieee = f.specials == FloatSpecials::kIeee;
  const uint32_t s = std::signbit(v) ? sign : 0;
  if (std::isinf(v) && ieee) return s | top;
  if (!std::isfinite(v)) {
    if (f.specials == FloatSpecials::kNanIsMinusZero) return sign;
    return ieee ? top | (1u << (f.mantissa_bits - 1)) : (std::isinf(v) ? s : 0) | (sign - 1);
  }
  const double magnitude = std::abs(v);
  if (magnitude == 0) return s;
  const int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  const auto mantissa = static_cast<uint32_t>(std::ldexp(magnitude, f.mantissa_bits - exponent));
  const uint32_t hidden = 1u << f.mantissa_bits;
  if (mantissa < hidden) return s | mantissa;  // subnormal
  return s | static_cast<uint32_t>(exponent + f.bias) << f.mantissa_bits | (mantissa - hidden);
}

inline double decode_float(const FloatFormat& f, uint32_t bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const uint32_t sign = sign_bit(f), top = exponent_mask(f), magnitude = bits & (sign - 1);
  if (f.specials == FloatSpecials::kNanIsMinusZero && bits == sign) return kNaN;
  if (f.specials == FloatSpecials::kNanAllOnes && magnitude == sign - 1) return kNaN;
  if (f.specials == FloatSpecials::kIeee && magnitude >= top)
    return magnitude > top ? kNaN : (bits & sign) != 0 ? -kInfinity : kInfinity;
  const auto exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  uint32_t mantissa = magnitude & ((1u << f.mantissa_bits) - 1);
  if (exponent > 0) mantissa |= 1u << f.mantissa_bits;
  const double v = std::ldexp(mantissa, std::max(exponent, 1) - f.bias - f.mantissa_bits);
  return (bits & sign) != 0 ? -v : v;
}

/// f8e8m0, a power of two without a sign: 2^(bits - 127), of which all ones are NaN.
inline double decode_e8m0(uint32_t bits) {
  return bits == 0xFF ? std::numeric_limits<double>::quiet_NaN()
                      : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

}  // namespace isomer::ir
