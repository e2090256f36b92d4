#include "hlo/primitive.h"

#include <array>
#include <cmath>

#include "hlo/word_table.h"
#include "ir/float_bits.h"

namespace isomer::hlo {
namespace {

using ir::DType;
using ir::FloatFormat;
using S = ir::FloatSpecials;

constexpr int bytes_of(int bits) { return (bits + 7) / 8; }

FloatFormat without_saturation(FloatFormat format) {
  format.saturates = format.specials == S::kNone;  // else what is too large is infinite, or NaN
  return format;
}

/// A type that the IR has: what its row says, but for a name and what is too large.
PrimitiveRow known(std::string_view name, DType dtype) {
  const ir::DTypeRow& row = ir::row(dtype);
  PrimitiveRow out = {name, PrimitiveKind::kNoData, row.bits, bytes_of(row.bits), {}, false, dtype};
  switch (row.kind) {
    case ir::DTypeKind::kBool:
      out.kind = PrimitiveKind::kPred;
      out.bits = 1;
      break;
    case ir::DTypeKind::kInteger:
      out.kind = row.sign ? PrimitiveKind::kSigned : PrimitiveKind::kUnsigned;
      break;
    case ir::DTypeKind::kFloat:
      out.kind = PrimitiveKind::kFloat;
      out.float_has_sign = true;
      out.format = without_saturation(row.format);
      break;
    case ir::DTypeKind::kOther: break;
  }
  return out;
}

PrimitiveRow complex(std::string_view name, DType dtype, DType part) {
  PrimitiveRow out = known(name, dtype);
  out.kind = PrimitiveKind::kComplex;
  out.float_has_sign = true;
  out.format = without_saturation(ir::row(part).format);
  return out;
}

/// A power of two without a sign, of which the IR's row does not say how it is made up.
PrimitiveRow power(std::string_view name, DType dtype) {
  PrimitiveRow out = known(name, dtype);
  out.float_has_sign = false;
  out.format = {8, 0, 127, 0x1p127, S::kNanAllOnes};
  return out;
}

PrimitiveRow known(std::string_view name, std::string_view dtype) {
  return known(name, *ir::parse_dtype(dtype));
}

PrimitiveRow no_data(std::string_view name) {
  return {name, PrimitiveKind::kNoData, 0, 0, {}, false, DType::kUndefined};
}

/// In the order of their numbers.
using Rows = std::array<PrimitiveRow, kPrimitiveCount>;
const Rows& rows() {
  static const Rows made = {{
      known("pred", DType::kBool),
      known("s1", "i1"),
      known("s2", DType::kI2),
      known("s4", DType::kI4),
      known("s8", DType::kI8),
      known("s16", DType::kI16),
      known("s32", DType::kI32),
      known("s64", DType::kI64),
      known("u1", "u1"),
      known("u2", DType::kU2),
      known("u4", DType::kU4),
      known("u8", DType::kU8),
      known("u16", DType::kU16),
      known("u32", DType::kU32),
      known("u64", DType::kU64),
      known("f4e2m1fn", DType::kF4E2M1),
      known("f8e3m4", "f8e3m4"),
      known("f8e4m3", "f8e4m3"),
      known("f8e4m3fn", DType::kF8E4M3FN),
      known("f8e4m3b11fnuz", "f8e4m3b11fnuz"),
      known("f8e4m3fnuz", DType::kF8E4M3FNUZ),
      known("f8e5m2", DType::kF8E5M2),
      known("f8e5m2fnuz", DType::kF8E5M2FNUZ),
      power("f8e8m0fnu", DType::kF8E8M0),
      known("f16", DType::kF16),
      known("bf16", DType::kBF16),
      known("f32", DType::kF32),
      known("f64", DType::kF64),
      complex("c64", DType::kC64, DType::kF32),
      complex("c128", DType::kC128, DType::kF64),
      no_data("token"),
      no_data("opaque"),
  }};
  return made;
}

WordTable make_words() {
  std::array<std::string_view, kPrimitiveCount> words;
  for (size_t i = 0; i < words.size(); ++i) words[i] = rows()[i].name;
  return WordTable(words);
}

}  // namespace

const PrimitiveRow& row(Primitive type) { return rows()[static_cast<size_t>(type)]; }

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
  if (!row.float_has_sign) return ir::decode_e8m0(bits);
  const double value = ir::decode_float(row.format, bits);
  return std::isnan(value) && (bits & ir::sign_bit(row.format)) != 0 ? -value : value;
}

uint32_t encode_float(const PrimitiveRow& row, double value) {
  if (!row.float_has_sign) {  // the nearest power of two
    constexpr int kBias = 127, kLargest = 254;
    const double size = std::fabs(value);
    if (std::isnan(value) || size >= 0x1.8p127) return kLargest + 1;
    if (size <= 0x1p-127) return 0;
    const int exponent = std::ilogb(size);
    return static_cast<uint32_t>(exponent + kBias + (std::ldexp(size, -exponent) >= 1.5 ? 1 : 0));
  }
  const uint32_t bits = ir::encode_float(row.format, value);
  return std::isnan(value) && std::signbit(value) ? bits | ir::sign_bit(row.format) : bits;
}

}  // namespace isomer::hlo
