// Element types of XLA, a row each: name, kind, bits, how floats are made up, what the IR calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/dtype.h"

namespace isomer::hlo {

enum class Primitive : uint8_t {
  kPred,
  kS1,
  kS2,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU1,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4E2M1FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3FN,
  kF8E4M3B11FNUZ,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kF16,
  kBF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kToken,
  kOpaque,
};
constexpr int kPrimitiveCount = static_cast<int>(Primitive::kOpaque) + 1;

enum class PrimitiveKind : uint8_t { kPred, kSigned, kUnsigned, kFloat, kComplex, kNoData };

struct PrimitiveRow {
  std::string_view name;
  PrimitiveKind kind;
  int bits;                ///< of an element, sign included
  int bytes;               ///< that an element takes in a literal: types below 8 bits take one
  ir::FloatFormat format;  ///< of floats; of complex numbers that of a part
  bool float_has_sign;     ///< of floats
  ir::DType dtype;         ///< kUndefined: the IR has none
};

const PrimitiveRow& row(Primitive type);
std::optional<Primitive> parse_primitive(std::string_view name);
inline std::string_view name(Primitive type) { return row(type).name; }

inline bool is_float(Primitive type) { return row(type).kind == PrimitiveKind::kFloat; }
inline bool is_complex(Primitive type) { return row(type).kind == PrimitiveKind::kComplex; }
bool is_integer(Primitive type);  ///< signed or unsigned; pred is none
/// f32 of c64, f64 of c128, and the other way.
Primitive part_of(Primitive complex);
std::optional<Primitive> complex_of(Primitive part);

/// A float of at most 16 bits from and to its bits. Rounded to nearest, ties to even; what is too large
/// becomes infinite, or the NaN of a type without infinities, or the largest of a type without NaN.
double decode_float(const PrimitiveRow& row, uint32_t bits);
uint32_t encode_float(const PrimitiveRow& row, double value);

}  // namespace isomer::hlo
