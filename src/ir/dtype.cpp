#include "ir/dtype.h"

#include <array>
#include <cmath>
#include <limits>

#include "support/errors.h"

namespace isomer::ir {
namespace {

constexpr int kMostTypes = 64;  // bits of a DTypeSet

constexpr DTypeRow other(const char* name, int bits, int onnx) {
  return {.name = name, .bits = bits, .onnx = onnx};
}

constexpr DTypeRow integer(const char* name, int bits, bool sign, int onnx) {
  return {.name = name,
          .bits = bits,
          .kind = DTypeKind::kInteger,
          .sign = sign,
          .computed = bits >= 8,
          .onnx = onnx};
}

constexpr DTypeRow small_float(const char* name, FloatFormat format, int onnx) {
  return {.name = name,
          .bits = 1 + format.exponent_bits + format.mantissa_bits,
          .kind = DTypeKind::kFloat,
          .format = format,
          .onnx = onnx};
}

constexpr DTypeRow wide_float(const char* name, FloatFormat format, double tolerance,
                              std::pair<int, int> usual, int onnx) {
  DTypeRow out = small_float(name, format, onnx);
  out.computed = true;
  out.tolerance = tolerance;
  out.usual = usual;
  return out;
}

using S = FloatSpecials;

/// Behind those that have a name in the code: XLA has them, and nothing here asks for one of them in
/// particular.
constexpr std::array kFurtherRows = {integer("i1", 1, true, 0), integer("u1", 1, false, 0),
                                     small_float("f8e3m4", {3, 4, 3, 15.5}, 0),
                                     small_float("f8e4m3", {4, 3, 7, 240}, 0),
                                     small_float("f8e4m3b11fnuz", {4, 3, 11, 30, S::kNanIsMinusZero}, 0)};
constexpr size_t kNamedTypes = static_cast<size_t>(DType::kString) + 1;

consteval std::array<DTypeRow, kMostTypes> standard_rows() {
  std::array<DTypeRow, kMostTypes> out{};
  const auto set = [&](DType type, DTypeRow row) { out[static_cast<size_t>(type)] = row; };
  set(DType::kUndefined, other("?", 0, 0));
  set(DType::kBool, {.name = "bool", .bits = 8, .kind = DTypeKind::kBool, .onnx = 9});
  set(DType::kI2, integer("i2", 2, true, 26));
  set(DType::kI4, integer("i4", 4, true, 22));
  set(DType::kI8, integer("i8", 8, true, 3));
  set(DType::kI16, integer("i16", 16, true, 5));
  set(DType::kI32, integer("i32", 32, true, 6));
  set(DType::kI64, integer("i64", 64, true, 7));
  set(DType::kU2, integer("u2", 2, false, 25));
  set(DType::kU4, integer("u4", 4, false, 21));
  set(DType::kU8, integer("u8", 8, false, 2));
  set(DType::kU16, integer("u16", 16, false, 4));
  set(DType::kU32, integer("u32", 32, false, 12));
  set(DType::kU64, integer("u64", 64, false, 13));
  set(DType::kF4E2M1, small_float("f4e2m1", {2, 1, 1, 6, S::kNone, true}, 23));
  set(DType::kF8E4M3FN, small_float("f8e4m3fn", {4, 3, 7, 448, S::kNanAllOnes, true}, 17));
  set(DType::kF8E4M3FNUZ, small_float("f8e4m3fnuz", {4, 3, 8, 240, S::kNanIsMinusZero, true}, 18));
  set(DType::kF8E5M2, small_float("f8e5m2", {5, 2, 15, 57344, S::kIeee, true}, 19));
  set(DType::kF8E5M2FNUZ, small_float("f8e5m2fnuz", {5, 2, 16, 57344, S::kNanIsMinusZero, true}, 20));
  // A power of two without a sign, which constant_data.cpp knows.
  set(DType::kF8E8M0, {.name = "f8e8m0", .bits = 8, .kind = DTypeKind::kFloat, .onnx = 24});
  set(DType::kF16, wide_float("f16", {5, 10, 15, 65504}, 1e-2, {-10, 12}, 10));
  set(DType::kBF16, wide_float("bf16", {8, 7, 127, 0x1.fep127}, 5e-2, {-100, 100}, 16));
  set(DType::kF32, wide_float("f32", {8, 23, 127, std::numeric_limits<float>::max()}, 1e-4, {-100, 100}, 1));
  set(DType::kF64,
      wide_float("f64", {11, 52, 1023, std::numeric_limits<double>::max()}, 1e-8, {-1000, 1000}, 11));
  set(DType::kC64, other("c64", 64, 14));
  set(DType::kC128, other("c128", 128, 15));
  set(DType::kString, other("string", 0, 8));
  for (size_t i = 0; i < kFurtherRows.size(); ++i) out[kNamedTypes + i] = kFurtherRows[i];
  return out;
}

constinit std::array<DTypeRow, kMostTypes> rows = standard_rows();
constinit int count = static_cast<int>(kNamedTypes + kFurtherRows.size());

}  // namespace

const DTypeRow& row(DType type) {
  const auto i = static_cast<size_t>(type);
  return rows[i < rows.size() ? i : 0];
}

int dtype_count() { return count; }

DType add_dtype(DTypeRow row) {
  REQUIRE(row.name != std::string_view("?") && !parse_dtype(row.name),
          "an element type needs a name of its own");
  REQUIRE(count < kMostTypes, "there are as many element types as a set can hold");
  rows[static_cast<size_t>(count)] = row;
  return static_cast<DType>(count++);
}

int bit_width(DType type) { return row(type).bits; }
int64_t byte_size(DType type, int64_t count) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const int64_t bits = row(type).bits;
  return count > kMost / 256 ? kMost : (count * bits + 7) / 8;
}
std::string_view name(DType type) { return row(type).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (int i = 1; i < dtype_count(); ++i)
    if (name(static_cast<DType>(i)) == text) return static_cast<DType>(i);
  return std::nullopt;
}

bool is_float(DType type) { return row(type).kind == DTypeKind::kFloat; }
bool is_integer(DType type) {
  const DTypeKind kind = row(type).kind;
  return kind == DTypeKind::kInteger || kind == DTypeKind::kBool;
}
bool has_sign(DType type) { return row(type).sign; }
int value_bits(DType type) { return bit_width(type) - (has_sign(type) ? 1 : 0); }

bool is_half(DType type) {
  const DTypeRow& r = row(type);
  return r.kind == DTypeKind::kFloat && r.bits == 16 && r.computed;
}

bool keeps_all(DType from, DType to) {
  if (from == to) return true;
  const FloatFormat &a = row(from).format, &b = row(to).format;
  if (a.exponent_bits == 0 || b.exponent_bits == 0) return to == DType::kF64 && is_float(from);
  const int smallest_a = 1 - a.bias - a.mantissa_bits, smallest_b = 1 - b.bias - b.mantissa_bits;
  return b.specials == FloatSpecials::kIeee && !b.saturates && a.mantissa_bits <= b.mantissa_bits &&
         a.largest <= b.largest && smallest_a >= smallest_b;
}

double spacing_at_one(DType type) {
  return is_float(type) ? std::ldexp(1.0, -row(type).format.mantissa_bits) : 0;
}

double smallest_number(DType type) { return smallest_normal(type) * spacing_at_one(type); }

double smallest_normal(DType type) {
  const FloatFormat& f = row(type).format;
  return f.exponent_bits == 0 ? 0 : std::ldexp(1.0, 1 - f.bias);
}

double largest_power(DType type) {
  const FloatFormat& f = row(type).format;
  return f.exponent_bits == 0 ? 0 : std::ldexp(1.0, std::ilogb(f.largest));
}

}  // namespace isomer::ir
