#include "hlo/primitive.h"

#include <array>
#include <cmath>
#include <limits>

#include "hlo/word_table.h"

namespace isomer::hlo {
namespace {

using ir::DType;
using ir::FloatFormat;
using S = ir::FloatSpecials;

constexpr int bytes_of(int bits) { return (bits + 7) / 8; }

constexpr PrimitiveRow plain(std::string_view name, PrimitiveKind kind, int bits,
                             DType dtype = DType::kUndefined) {
  return {name, kind, bits, bytes_of(bits), {}, false, dtype};
}

constexpr PrimitiveRow real(std::string_view name, FloatFormat format, DType dtype = DType::kUndefined,
                            bool sign = true) {
  const int bits = (sign ? 1 : 0) + format.exponent_bits + format.mantissa_bits;
  return {name, PrimitiveKind::kFloat, bits, bytes_of(bits), format, sign, dtype};
}

constexpr FloatFormat kSingle = {8, 23, 127, std::numeric_limits<float>::max(), S::kIeee};
constexpr FloatFormat kDouble = {11, 52, 1023, std::numeric_limits<double>::max(), S::kIeee};

constexpr std::array<PrimitiveRow, kPrimitiveCount> kPrimitiveRows = {{
    {"pred", PrimitiveKind::kPred, 1, 1, {}, false, DType::kBool},
    plain("s1", PrimitiveKind::kSigned, 1),
    plain("s2", PrimitiveKind::kSigned, 2, DType::kI2),
    plain("s4", PrimitiveKind::kSigned, 4, DType::kI4),
    plain("s8", PrimitiveKind::kSigned, 8, DType::kI8),
    plain("s16", PrimitiveKind::kSigned, 16, DType::kI16),
    plain("s32", PrimitiveKind::kSigned, 32, DType::kI32),
    plain("s64", PrimitiveKind::kSigned, 64, DType::kI64),
    plain("u1", PrimitiveKind::kUnsigned, 1),
    plain("u2", PrimitiveKind::kUnsigned, 2, DType::kU2),
    plain("u4", PrimitiveKind::kUnsigned, 4, DType::kU4),
    plain("u8", PrimitiveKind::kUnsigned, 8, DType::kU8),
    plain("u16", PrimitiveKind::kUnsigned, 16, DType::kU16),
    plain("u32", PrimitiveKind::kUnsigned, 32, DType::kU32),
    plain("u64", PrimitiveKind::kUnsigned, 64, DType::kU64),
    real("f4e2m1fn", {2, 1, 1, 6, S::kNone}, DType::kF4E2M1),
    real("f8e3m4", {3, 4, 3, 15.5, S::kIeee}),
    real("f8e4m3", {4, 3, 7, 240, S::kIeee}),
    real("f8e4m3fn", {4, 3, 7, 448, S::kNanAllOnes}, DType::kF8E4M3FN),
    real("f8e4m3b11fnuz", {4, 3, 11, 30, S::kNanIsMinusZero}),
    real("f8e4m3fnuz", {4, 3, 8, 240, S::kNanIsMinusZero}, DType::kF8E4M3FNUZ),
    real("f8e5m2", {5, 2, 15, 57344, S::kIeee}, DType::kF8E5M2),
    real("f8e5m2fnuz", {5, 2, 16, 57344, S::kNanIsMinusZero}, DType::kF8E5M2FNUZ),
    real("f8e8m0fnu", {8, 0, 127, 0x1p127, S::kNanAllOnes}, DType::kF8E8M0, false),
    real("f16", {5, 10, 15, 65504, S::kIeee}, DType::kF16),
    real("bf16", {8, 7, 127, 0x1.fep127, S::kIeee}, DType::kBF16),
    real("f32", kSingle, DType::kF32),
    real("f64", kDouble, DType::kF64),
    {"c64", PrimitiveKind::kComplex, 64, 8, kSingle, true, DType::kC64},
    {"c128", PrimitiveKind::kComplex, 128, 16, kDouble, true, DType::kC128},
    plain("token", PrimitiveKind::kNoData, 0),
    plain("opaque", PrimitiveKind::kNoData, 0),
}};

WordTable make_words() {
  std::array<std::string_view, kPrimitiveCount> words;
  for (size_t i = 0; i < words.size(); ++i) words[i] = kPrimitiveRows[i].name;
  return WordTable(words);
}

}  // namespace

const PrimitiveRow& row(Primitive type) { return kPrimitiveRows[static_cast<size_t>(type)]; }

std::optional<Primitive> parse_primitive(std::string_view name) {
  static const WordTable words = make_words();
  const int found = words.find(name);
  return found < 0 ? std::nullopt : std::optional(static_cast<Primitive>(found));
}

bool is_integer(Primitive type) {
  return row(type).kind == PrimitiveKind::kSigned || row(type).kind == PrimitiveKind::kUnsigned;
}

Primitive part_of(Primitive complex) {
  return complex == Primitive::kC64 ? Primitive::kF32 : Primitive::kF64;
}

std::optional<Primitive> complex_of(Primitive part) {
  if (part == Primitive::kF32) return Primitive::kC64;
  if (part == Primitive::kF64) return Primitive::kC128;
  return std::nullopt;
}

double decode_float(const PrimitiveRow& row, uint32_t bits) {
  const FloatFormat& f = row.format;
  const uint32_t mantissa = bits & ((1u << f.mantissa_bits) - 1);
  const uint32_t exponent = (bits >> f.mantissa_bits) & ((1u << f.exponent_bits) - 1);
  const bool negative = row.float_has_sign && (bits >> (f.mantissa_bits + f.exponent_bits) & 1) != 0;
  const uint32_t ones = (1u << f.exponent_bits) - 1;
  const auto signed_value = [&](double magnitude) { return negative ? -magnitude : magnitude; };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.specials == S::kIeee && exponent == ones)
    return mantissa == 0 ? signed_value(std::numeric_limits<double>::infinity())
                         : std::copysign(nan, signed_value(1));
  if (f.specials == S::kNanAllOnes && exponent == ones && mantissa == (1u << f.mantissa_bits) - 1)
    return std::copysign(nan, signed_value(1));
  if (f.specials == S::kNanIsMinusZero && negative && exponent == 0 && mantissa == 0) return -nan;
  if (exponent == 0 && row.float_has_sign)
    return signed_value(std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits));
  return signed_value(
      std::ldexp((1u << f.mantissa_bits) + mantissa, static_cast<int>(exponent) - f.bias - f.mantissa_bits));
}

uint32_t encode_float(const PrimitiveRow& row, double value) {
  const FloatFormat& f = row.format;
  const uint32_t ones = (1u << f.exponent_bits) - 1,
                 all = (ones << f.mantissa_bits) | ((1u << f.mantissa_bits) - 1);
  const uint32_t sign = row.float_has_sign && std::signbit(value) ? all + 1 : 0;
  const uint32_t nan = f.specials == S::kIeee ? (ones << f.mantissa_bits) | (1u << (f.mantissa_bits - 1))
                       : f.specials == S::kNanAllOnes ? all
                                                      : 0;
  if (f.specials == S::kNanIsMinusZero) {
    if (std::isnan(value)) return all + 1;
    if (value == 0) return 0;
  }
  if (std::isnan(value)) return sign | nan;
  const double magnitude = std::fabs(value);
  const int least = 1 - f.bias - (row.float_has_sign ? 0 : 1);
  const int e =
      magnitude == 0 ? least : std::max(std::isinf(magnitude) ? 4096 : std::ilogb(magnitude), least);
  const double quantum = std::ldexp(1.0, e - f.mantissa_bits);
  const double steps = std::isinf(magnitude) ? 0 : std::nearbyint(magnitude / quantum);
  if (std::isinf(magnitude) || steps * quantum > f.largest) {
    if (f.specials == S::kIeee) return sign | (ones << f.mantissa_bits);
    if (f.specials == S::kNanIsMinusZero) return all + 1;
    return f.specials == S::kNanAllOnes ? sign | all : sign | all;
  }
  auto count = static_cast<uint32_t>(steps);
  if (!row.float_has_sign) return static_cast<uint32_t>(e + f.bias) + (count > 1 ? 1 : 0);
  // A carry of the mantissa into the exponent is the next binade, as the patterns are ordered.
  const auto biased = static_cast<uint32_t>(e + f.bias);
  return sign | (count + (biased - 1) * (1u << f.mantissa_bits));
}

}  // namespace isomer::hlo
