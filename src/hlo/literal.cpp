#include "hlo/literal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace isomer::hlo {
namespace {

template <class T>
T load(const std::byte* bytes) {
  T out;
  std::memcpy(&out, bytes, sizeof(T));
  return out;
}

/// Payload and sign of a NaN, where the type has payloads.
void print_nan(uint64_t mantissa, int mantissa_bits, bool negative, bool payloads, std::string& out) {
  out += negative ? "-nan" : "nan";
  if (payloads && mantissa != uint64_t{1} << (mantissa_bits - 1))
    fmt::format_to(std::back_inserter(out), "(0x{:x})", mantissa);
}

void print_finite(double value, int digits, std::string& out) {
  if (value == 0) {
    out += std::signbit(value) ? "-0.0" : "0";
    return;
  }
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits);
  out.append(text, end.ptr);
}

template <class Float, class Bits>
void print_wide(const std::byte* bytes, int few, int all, std::string& out) {
  const auto value = load<Float>(bytes);
  if (std::isnan(value)) {
    constexpr int kMantissa = sizeof(Float) == 4 ? 23 : 52;
    return print_nan(load<Bits>(bytes) & ((Bits{1} << kMantissa) - 1), kMantissa, std::signbit(value), true,
                     out);
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, few);
  double again = 0;
  std::from_chars(text, end.ptr, again);
  print_finite(value, static_cast<Float>(again) == value ? few : all, out);
}

void print_narrow(const PrimitiveRow& row, const std::byte* bytes, std::string& out) {
  const uint32_t bits = row.bytes == 1 ? load<uint8_t>(bytes) : load<uint16_t>(bytes);
  const double value = decode_float(row, bits);
  if (std::isnan(value))
    return print_nan(bits & ((1u << row.format.mantissa_bits) - 1), row.format.mantissa_bits,
                     std::signbit(value), row.format.specials == ir::FloatSpecials::kIeee, out);
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  // As many digits as tell any two numbers of the type apart.
  print_finite(value, static_cast<int>(std::ceil(1 + (row.format.mantissa_bits + 1) * 0.30102999566398120)),
               out);
}

struct LiteralPrinter {
  const ShapeTable& shapes;
  std::string& out;

  void print_dims(Primitive type, std::span<const int64_t> dims, size_t level, const std::byte*& at) {
    if (level == dims.size()) {
      print_element(type, at, !dims.empty(), out);
      at += row(type).bytes;
      return;
    }
    // XLA's spaces: none in vectors and around no elements of the last dimension.
    const bool tight = dims.size() == 1 || (level + 1 == dims.size() && dims[level] == 0);
    out += tight ? "{" : "{ ";
    for (int64_t i = 0; i < dims[level]; ++i) {
      if (i > 0) out += ", ";
      print_dims(type, dims, level + 1, at);
    }
    out += tight ? "}" : " }";
  }

  void print(ShapeId id, const std::byte*& at) {
    const Shape& shape = shapes[id];
    if (shape.kind == ShapeKind::kArray) return print_dims(shape.element, shapes.dims(id), 0, at);
    out += shape.count == 0 ? "(" : "( ";
    for (size_t i = 0; i < shape.count; ++i) {
      if (i > 0) out += ", ";
      print(shapes.part(id, i), at);
    }
    out += shape.count == 0 ? ")" : " )";
  }
};

}  // namespace

int64_t whole_value(Primitive type, const std::byte* bytes) {
  const bool is_signed = row(type).kind == PrimitiveKind::kSigned;
  switch (row(type).bytes) {
    case 1: return is_signed ? int64_t{load<int8_t>(bytes)} : int64_t{load<uint8_t>(bytes)};
    case 2: return is_signed ? int64_t{load<int16_t>(bytes)} : int64_t{load<uint16_t>(bytes)};
    case 4: return is_signed ? int64_t{load<int32_t>(bytes)} : int64_t{load<uint32_t>(bytes)};
    default: return load<int64_t>(bytes);
  }
}

double real_value(Primitive type, const std::byte* bytes) {
  const PrimitiveRow& r = row(type);
  switch (r.kind) {
    case PrimitiveKind::kComplex:
    case PrimitiveKind::kNoData: return std::numeric_limits<double>::quiet_NaN();
    case PrimitiveKind::kUnsigned:
      return static_cast<double>(static_cast<uint64_t>(whole_value(type, bytes)));
    case PrimitiveKind::kFloat: break;
    default: return static_cast<double>(whole_value(type, bytes));
  }
  if (type == Primitive::kF32) return load<float>(bytes);
  if (type == Primitive::kF64) return load<double>(bytes);
  return decode_float(r, r.bytes == 1 ? load<uint8_t>(bytes) : load<uint16_t>(bytes));
}

void print_element(Primitive type, const std::byte* bytes, bool in_array, std::string& out) {
  const PrimitiveRow& r = row(type);
  switch (r.kind) {
    case PrimitiveKind::kPred: {
      const bool value = bytes[0] != std::byte{0};
      out += in_array ? (value ? "1" : "0") : (value ? "true" : "false");
      return;
    }
    case PrimitiveKind::kSigned:
      fmt::format_to(std::back_inserter(out), "{}", whole_value(type, bytes));
      return;
    case PrimitiveKind::kUnsigned:
      fmt::format_to(std::back_inserter(out), "{}", static_cast<uint64_t>(whole_value(type, bytes)));
      return;
    case PrimitiveKind::kFloat:
      if (type == Primitive::kF32) return print_wide<float, uint32_t>(bytes, 6, 9, out);
      if (type == Primitive::kF64) return print_wide<double, uint64_t>(bytes, 15, 17, out);
      return print_narrow(r, bytes, out);
    case PrimitiveKind::kComplex:
      out += '(';
      print_element(part_of(type), bytes, in_array, out);
      out += ", ";
      print_element(part_of(type), bytes + r.bytes / 2, in_array, out);
      out += ')';
      return;
    case PrimitiveKind::kNoData: return;
  }
}

void print_literal(const ShapeTable& shapes, const Literal& literal, std::string& out) {
  if (literal.elided) {
    out += "{...}";
    return;
  }
  const std::byte* at = literal.bytes.data();
  LiteralPrinter{shapes, out}.print(literal.shape, at);
}

}  // namespace isomer::hlo
