// Conversions to and from 16-bit floats that processors without instructions for them call (the names are
// those of compilers' own libraries, which a shared object cannot count on). Rounded once, to nearest, ties
// to even.
#include <stdint.h>

namespace {

template <class To, class From>
To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

constexpr int kDoubleDigits = 52, kDoubleBias = 1023, kDoubleLargest = 2047;

/// A double as a float of `digits` digits after the point and an exponent of `width` bits.
uint16_t narrowed(double x, int digits, int width) {
  const auto from = bits<uint64_t>(x);
  const auto sign = static_cast<uint16_t>(from >> 63 << 15);
  const int exponent = static_cast<int>(from >> kDoubleDigits) & kDoubleLargest;
  uint64_t fraction = from & ((uint64_t{1} << kDoubleDigits) - 1);
  const int largest = (1 << width) - 1, bias = largest >> 1;
  const auto infinity = static_cast<uint16_t>(sign | largest << digits);
  if (exponent == kDoubleLargest)
    return static_cast<uint16_t>(fraction != 0 ? infinity | 1 << (digits - 1) : infinity);
  int to = exponent - kDoubleBias + bias;
  int dropped = kDoubleDigits - digits;
  if (exponent != 0) fraction |= uint64_t{1} << kDoubleDigits;
  if (to < 1) {  // subnormal there
    dropped += 1 - to;
    to = 1;
  }
  if (dropped > kDoubleDigits + 2) return sign;
  const uint64_t rest = fraction & ((uint64_t{1} << dropped) - 1), half = uint64_t{1} << (dropped - 1);
  uint64_t kept = fraction >> dropped;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // The leading digit adds one to the exponent, and so does a digit that rounding carries.
  const uint64_t whole = kept + (static_cast<uint64_t>(to - 1) << digits);
  if (whole >= static_cast<uint64_t>(largest) << digits) return infinity;
  return static_cast<uint16_t>(sign | whole);
}

constexpr int kHalfDigits = 10, kHalfWidth = 5, kBrainDigits = 7, kBrainWidth = 8;

float widened(uint16_t half) {
  constexpr int kFloatDigits = 23, kFloatBias = 127, kHalfBias = 15, kHalfLargest = 31;
  const uint32_t sign = static_cast<uint32_t>(half >> 15) << 31;
  const int exponent = half >> kHalfDigits & kHalfLargest;
  const uint32_t fraction = half & ((1U << kHalfDigits) - 1);
  if (exponent == 0) {  // exact in single precision
    const float least =
        bits<float>(static_cast<uint32_t>(kFloatBias - kHalfBias + 1 - kHalfDigits) << kFloatDigits);
    return bits<float>(bits<uint32_t>(static_cast<float>(fraction) * least) | sign);
  }
  const uint32_t to =
      exponent == kHalfLargest ? 255U : static_cast<uint32_t>(exponent - kHalfBias + kFloatBias);
  return bits<float>(sign | to << kFloatDigits | fraction << (kFloatDigits - kHalfDigits));
}

}  // namespace

// 16-bit floats of either kind are passed in the lowest bits of a vector register, as _Float16 is.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
float __extendhfsf2(_Float16 x) { return widened(bits<uint16_t>(x)); }
_Float16 __truncsfhf2(float x) { return bits<_Float16>(narrowed(x, kHalfDigits, kHalfWidth)); }
_Float16 __truncdfhf2(double x) { return bits<_Float16>(narrowed(x, kHalfDigits, kHalfWidth)); }
_Float16 __truncsfbf2(float x) { return bits<_Float16>(narrowed(x, kBrainDigits, kBrainWidth)); }
_Float16 __truncdfbf2(double x) { return bits<_Float16>(narrowed(x, kBrainDigits, kBrainWidth)); }
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
