#include "ir/constant_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/float_bits.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

/// Null for what is no float of few bits (f32, f64, integers, f8e8m0 which has no mantissa).
const FloatFormat* minifloat(DType dtype) {
  const DTypeRow& r = row(dtype);
  return r.bits <= 16 && r.format.exponent_bits > 0 ? &r.format : nullptr;
}

/// f8e8m0: powers of two only, rounded up as ONNX's Cast does by default.
uint32_t encode_e8m0(double value) {
  if (std::isnan(value)) return 0xFF;
  if (value <= 0) return 0;
  if (std::isinf(value)) return 254;
  int exponent = 0;
  const double fraction =
      std::frexp(value, &exponent);  // value = fraction * 2^exponent, fraction in [0.5, 1)
  return static_cast<uint32_t>(std::clamp((fraction == 0.5 ? exponent - 1 : exponent) + 127, 0, 254));
}

template <class T>
T load_as(std::span<const std::byte> bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store_as(std::span<std::byte> bytes, int64_t index, T value) {
  std::memcpy(bytes.data() + static_cast<size_t>(index) * sizeof(T), &value, sizeof(T));
}

/// Bits of an element of at most 16 bits; sub-byte elements stand low bits first.
uint32_t load_bits(int width, std::span<const std::byte> bytes, int64_t index) {
  if (width == 16) return load_as<uint16_t>(bytes, index);
  const int per_byte = 8 / width;
  const auto byte = static_cast<uint32_t>(bytes[static_cast<size_t>(index / per_byte)]);
  return (byte >> (index % per_byte * width)) & ((1u << width) - 1);
}

void store_bits(int width, std::span<std::byte> bytes, int64_t index, uint32_t value) {
  if (width == 16) return store_as(bytes, index, static_cast<uint16_t>(value));
  const int per_byte = 8 / width;
  const auto shift = static_cast<int>(index % per_byte) * width;
  const uint32_t mask = ((1u << width) - 1) << shift;
  std::byte& byte = bytes[static_cast<size_t>(index / per_byte)];
  byte = static_cast<std::byte>((static_cast<uint32_t>(byte) & ~mask) | ((value << shift) & mask));
}

void check_range(DType dtype, size_t bytes, int64_t index) {
  REQUIRE(index >= 0 && byte_size(dtype, index + 1) <= static_cast<int64_t>(bytes),
          fmt::format("element {} of {} bytes of {}", index, bytes, name(dtype)));
}

int64_t truncate(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63)
    return value >= 0x1p64 ? std::numeric_limits<int64_t>::max()
                           : static_cast<int64_t>(static_cast<uint64_t>(value));
  return value < -0x1p63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

template <class T, class Store>
ConstantId add_elements(Context& ctx, DType dtype, const std::vector<int64_t>& shape,
                        const std::vector<T>& values, Store&& store) {
  const Shape dims = static_shape(shape);
  const int64_t count = element_count(dims);
  REQUIRE(count == static_cast<int64_t>(values.size()),
          fmt::format("{} values for a constant of {} elements", values.size(), count));
  std::vector<std::byte> bytes(static_cast<size_t>(byte_size(dtype, count)));
  for (int64_t i = 0; i < count; ++i) store(bytes, i, values[static_cast<size_t>(i)]);
  const size_t length = bytes.size();
  return ctx.add(Constant{ctx.tensor_type(dtype, dims), make_buffer(std::move(bytes)), 0, length});
}

int64_t checked_count(const Context& ctx, ConstantId id, int64_t limit) {
  const Constant& c = ctx.get(id);
  const Type& type = ctx.get(c.type);
  const int64_t count = element_count(type.shape);
  REQUIRE(count <= limit,
          fmt::format("a constant of {} elements where at most {} are expected", count, limit));
  return count;
}

}  // namespace

double load_number(DType dtype, std::span<const std::byte> bytes, int64_t index) {
  check_range(dtype, bytes.size(), index);
  switch (dtype) {
    case DType::kF32: return load_as<float>(bytes, index);
    case DType::kF64: return load_as<double>(bytes, index);
    case DType::kU64: return static_cast<double>(load_as<uint64_t>(bytes, index));
    case DType::kF8E8M0: return decode_e8m0(load_bits(8, bytes, index));
    default: break;
  }
  if (const FloatFormat* f = minifloat(dtype))
    return decode_float(*f, load_bits(bit_width(dtype), bytes, index));
  return static_cast<double>(load_integer(dtype, bytes, index));
}

int64_t load_integer(DType dtype, std::span<const std::byte> bytes, int64_t index) {
  REQUIRE(is_integer(dtype), fmt::format("integers asked of a constant of {}", name(dtype)));
  check_range(dtype, bytes.size(), index);
  switch (bit_width(dtype)) {
    case 64: return load_as<int64_t>(bytes, index);
    case 32: return wrap_to(dtype, load_as<int32_t>(bytes, index));
    default: return wrap_to(dtype, load_bits(bit_width(dtype), bytes, index));
  }
}

void store_number(DType dtype, std::span<std::byte> bytes, int64_t index, double value) {
  if (is_integer(dtype)) {
    return store_integer(dtype, bytes, index,
                         dtype == DType::kBool ? static_cast<int64_t>(value != 0) : truncate(value));
  }
  check_range(dtype, bytes.size(), index);
  if (dtype == DType::kF32) return store_as(bytes, index, static_cast<float>(value));
  if (dtype == DType::kF64) return store_as(bytes, index, value);
  if (dtype == DType::kF8E8M0) return store_bits(8, bytes, index, encode_e8m0(value));
  const FloatFormat* f = minifloat(dtype);
  REQUIRE(f != nullptr, fmt::format("a number cannot be stored as {}", name(dtype)));
  store_bits(bit_width(dtype), bytes, index, encode_float(*f, value));
}

void load_numbers(DType dtype, std::span<const std::byte> bytes, std::span<double> out) {
  const auto count = static_cast<int64_t>(out.size());
  if (count == 0) return;
  check_range(dtype, bytes.size(), count - 1);
  for (int64_t i = 0; i < count; ++i)
    out[static_cast<size_t>(i)] = dtype == DType::kF32   ? static_cast<double>(load_as<float>(bytes, i))
                                  : dtype == DType::kF64 ? load_as<double>(bytes, i)
                                                         : load_number(dtype, bytes, i);
}

void store_numbers(DType dtype, std::span<std::byte> bytes, std::span<const double> values) {
  const auto count = static_cast<int64_t>(values.size());
  if (count == 0) return;
  check_range(dtype, bytes.size(), count - 1);
  for (int64_t i = 0; i < count; ++i) {
    const double value = values[static_cast<size_t>(i)];
    if (dtype == DType::kF32)
      store_as(bytes, i, static_cast<float>(value));
    else
      store_number(dtype, bytes, i, value);
  }
}

void store_integer(DType dtype, std::span<std::byte> bytes, int64_t index, int64_t value) {
  REQUIRE(is_integer(dtype), fmt::format("an integer stored in a constant of {}", name(dtype)));
  check_range(dtype, bytes.size(), index);
  if (dtype == DType::kBool) value = value != 0;
  switch (bit_width(dtype)) {
    case 64: return store_as(bytes, index, value);
    case 32: return store_as(bytes, index, static_cast<int32_t>(value));
    default: return store_bits(bit_width(dtype), bytes, index, static_cast<uint32_t>(value));
  }
}

double round_to(DType dtype, double value) {
  if (dtype == DType::kF64) return value;
  if (dtype == DType::kF32) return static_cast<float>(value);
  if (dtype == DType::kF8E8M0) return decode_e8m0(encode_e8m0(value));
  if (const FloatFormat* f = minifloat(dtype)) {
    const double rounded = round_float(*f, value);
    return std::isinf(rounded) && f->specials != FloatSpecials::kIeee
               ? std::numeric_limits<double>::quiet_NaN()
               : rounded;
  }
  REQUIRE(is_integer(dtype), fmt::format("a number rounded to {}", name(dtype)));
  const int64_t wrapped =
      dtype == DType::kBool ? static_cast<int64_t>(value != 0) : wrap_to(dtype, truncate(value));
  return dtype == DType::kU64 ? static_cast<double>(static_cast<uint64_t>(wrapped))
                              : static_cast<double>(wrapped);
}

int64_t wrap_to(DType dtype, int64_t value) {
  if (dtype == DType::kBool) return value != 0;
  const int width = bit_width(dtype);
  if (width == 64) return value;
  const auto bits = static_cast<uint64_t>(value) << (64 - width);
  return has_sign(dtype) ? static_cast<int64_t>(bits) >> (64 - width)
                         : static_cast<int64_t>(bits >> (64 - width));
}

ConstantId add_constant(Context& ctx, DType dtype, const std::vector<int64_t>& shape,
                        const std::vector<double>& values) {
  return add_elements(ctx, dtype, shape, values, [&](std::span<std::byte> bytes, int64_t i, double v) {
    store_number(dtype, bytes, i, v);
  });
}

ConstantId add_constant(Context& ctx, DType dtype, const std::vector<int64_t>& shape,
                        const std::vector<int64_t>& values) {
  return add_elements(ctx, dtype, shape, values, [&](std::span<std::byte> bytes, int64_t i, int64_t v) {
    if (is_integer(dtype))
      store_integer(dtype, bytes, i, v);
    else
      store_number(dtype, bytes, i, static_cast<double>(v));
  });
}

std::vector<double> numbers(const Context& ctx, ConstantId id, int64_t limit) {
  const int64_t count = checked_count(ctx, id, limit);
  const Constant& c = ctx.get(id);
  std::vector<double> out(static_cast<size_t>(count));
  load_numbers(ctx.get(c.type).dtype, c.bytes(), out);
  return out;
}

std::vector<int64_t> integers(const Context& ctx, ConstantId id, int64_t limit) {
  const int64_t count = checked_count(ctx, id, limit);
  const Constant& c = ctx.get(id);
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    out[static_cast<size_t>(i)] = load_integer(ctx.get(c.type).dtype, c.bytes(), i);
  return out;
}

}  // namespace isomer::ir
