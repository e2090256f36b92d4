#include "rewrite/constant_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/constant_data.h"

namespace isomer::rewrite {
namespace {

/// Sizes are in the order of their bits, NaN above all; a block at a time, so that the compiler uses vectors.
template <class Bits, Bits kMask>
Bits largest_bits(std::span<const std::byte> bytes, int64_t count) {
  constexpr size_t kBlock = 64;
  std::array<Bits, kBlock> most{}, block{};
  const auto n = static_cast<size_t>(count);
  for (size_t i = 0; i < n; i += kBlock) {
    const size_t length = std::min(kBlock, n - i);
    std::memcpy(block.data(), bytes.data() + i * sizeof(Bits), length * sizeof(Bits));
    for (size_t k = 0; k < kBlock; ++k) {
      const auto size = static_cast<Bits>(block[k] & kMask);
      most[k] = size > most[k] ? size : most[k];
    }
  }
  return *std::ranges::max_element(most);
}

double largest_size(ir::DType dtype, std::span<const std::byte> bytes, int64_t count) {
  std::array<std::byte, 4> one{};
  double most = 0;
  if (dtype == ir::DType::kF32) {
    const int32_t bits = largest_bits<int32_t, 0x7FFFFFFF>(bytes, count);
    std::memcpy(one.data(), &bits, sizeof bits);
    most = ir::load_number(dtype, one, 0);
  } else if (ir::is_half(dtype)) {
    const int16_t bits = largest_bits<int16_t, 0x7FFF>(bytes, count);
    std::memcpy(one.data(), &bits, sizeof bits);
    most = ir::load_number(dtype, one, 0);
  } else {
    for (int64_t i = 0; i < count && !std::isnan(most); ++i) {
      const double x = std::abs(ir::load_number(dtype, bytes, i));
      most = x <= most ? most : x;
    }
  }
  return std::isnan(most) ? std::numeric_limits<double>::infinity() : most;
}

}  // namespace

FloatRange range_of(const ir::Context& ctx, const ir::Constant& constant) {
  constexpr int64_t kLooked = 1 << 16;  // signs and zeros of more are not asked about
  const ir::Type& type = ctx.get(constant.type);
  if (!type.is_static_tensor() || !(ir::is_float(type.dtype) || ir::is_integer(type.dtype)) ||
      ir::bit_width(type.dtype) < 8)
    return {};
  const int64_t count = ir::element_count(type.shape);
  if (count == 0) return {0, 0};
  if (count > kLooked && ir::is_integer(type.dtype)) {  // whatever its type holds
    const double most = std::ldexp(1, ir::value_bits(type.dtype));
    return {ir::has_sign(type.dtype) ? -most : 0, most};
  }
  if (count > kLooked) {
    const double most = largest_size(type.dtype, constant.bytes(), count);
    return {-most, most};
  }
  FloatRange out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int64_t i = 0; i < count; ++i) {
    const double x = ir::load_number(type.dtype, constant.bytes(), i);
    if (std::isnan(x)) return {};
    out = {std::min(out.low, x), std::max(out.high, x)};
  }
  return out;
}

}  // namespace isomer::rewrite
