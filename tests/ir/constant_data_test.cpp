// Conversions, against tables of IEEE 754 and the OCP 8-bit formats written out here.
#include "ir/constant_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

uint32_t bits_of(DType dtype, double value) {
  std::vector<std::byte> bytes(8);
  store_number(dtype, bytes, 0, value);
  uint32_t out = 0;
  for (int i = bit_width(dtype) > 8 ? 1 : 0; i >= 0; --i)
    out = out << 8 | static_cast<uint32_t>(bytes[static_cast<size_t>(i)]);
  return out;
}

double value_of(DType dtype, uint32_t bits) {
  const std::vector<std::byte> bytes = {static_cast<std::byte>(bits & 255),
                                        static_cast<std::byte>(bits >> 8)};
  return load_number(dtype, bytes, 0);
}

TEST(ValueBits, AreThoseBesideTheSign) {
  EXPECT_EQ(value_bits(DType::kI8), 7);
  EXPECT_EQ(value_bits(DType::kU8), 8);
  EXPECT_EQ(value_bits(DType::kI64), 63);
  EXPECT_EQ(value_bits(DType::kU64), 64);
}

TEST(ConstantData, HalfPrecision) {
  EXPECT_EQ(bits_of(DType::kF16, 1), 0x3C00u);
  EXPECT_EQ(bits_of(DType::kF16, -2), 0xC000u);
  EXPECT_EQ(bits_of(DType::kF16, 65504), 0x7BFFu);
  EXPECT_EQ(bits_of(DType::kF16, 65519), 0x7BFFu);
  EXPECT_EQ(bits_of(DType::kF16, 65520), 0x7C00u);
  EXPECT_EQ(bits_of(DType::kF16, 0x1p-24), 0x0001u);
  EXPECT_EQ(bits_of(DType::kF16, 0x1p-25), 0x0000u);  // a tie, to even
  EXPECT_EQ(bits_of(DType::kF16, 1 + 0x1p-11), 0x3C00u);
  EXPECT_EQ(bits_of(DType::kF16, 1 + 3 * 0x1p-11), 0x3C02u);
  EXPECT_EQ(bits_of(DType::kF16, -0.0), 0x8000u);
  EXPECT_EQ(value_of(DType::kF16, 0x3555), 0.333251953125);
  EXPECT_TRUE(std::isnan(value_of(DType::kF16, 0x7E00)));
}

TEST(ConstantData, BrainFloat) {
  EXPECT_EQ(bits_of(DType::kBF16, 1), 0x3F80u);
  EXPECT_EQ(bits_of(DType::kBF16, 3.140625), 0x4049u);
  EXPECT_EQ(bits_of(DType::kBF16, 1e40), 0x7F80u);
  EXPECT_EQ(value_of(DType::kBF16, 0x0080), 0x1p-126);
}

TEST(ConstantData, EightBitFloats) {
  EXPECT_EQ(value_of(DType::kF8E4M3FN, 0x7E), 448);
  EXPECT_TRUE(std::isnan(value_of(DType::kF8E4M3FN, 0x7F)));
  EXPECT_EQ(bits_of(DType::kF8E4M3FN, 1000), 0x7Eu);  // saturates
  EXPECT_EQ(value_of(DType::kF8E4M3FN, 0x01), 0x1p-9);
  EXPECT_EQ(value_of(DType::kF8E5M2, 0x7B), 57344);
  EXPECT_EQ(value_of(DType::kF8E5M2, 0x7C), kInf);
  EXPECT_EQ(value_of(DType::kF8E4M3FNUZ, 0x7F), 240);
  EXPECT_TRUE(std::isnan(value_of(DType::kF8E4M3FNUZ, 0x80)));
  EXPECT_EQ(bits_of(DType::kF8E5M2FNUZ, -0.0), 0u);
  EXPECT_EQ(value_of(DType::kF8E8M0, 127), 1);
  EXPECT_EQ(bits_of(DType::kF8E8M0, 3), 129u);
  EXPECT_EQ(value_of(DType::kF4E2M1, 7), 6);
}

TEST(ConstantData, EveryBitPatternOfSmallFloatsReadsAndStores) {
  for (DType dtype :
       {DType::kF16, DType::kBF16, DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ})
    for (uint32_t bits = 0; bits < 1u << bit_width(dtype); ++bits) {
      const double value = value_of(dtype, bits);
      if (std::isnan(value)) continue;
      ASSERT_EQ(bits_of(dtype, value), bits) << name(dtype);
      if (std::isinf(value)) continue;  // conversions may saturate
      ASSERT_EQ(round_to(dtype, value), value);
    }
}

TEST(ConstantData, WhatIsInfiniteIsStoredSo) {
  EXPECT_EQ(bits_of(DType::kF8E5M2, -kInf), 0xFCu);
  EXPECT_EQ(bits_of(DType::kF8E5M2, 1e6), 0x7Bu);     // a number that is too large saturates
  EXPECT_EQ(bits_of(DType::kF8E4M3FN, kInf), 0x7Fu);  // which has no infinity
}

TEST(ConstantData, IntegersWrap) {
  EXPECT_EQ(wrap_to(DType::kI8, 200), -56);
  EXPECT_EQ(wrap_to(DType::kU8, -1), 255);
  EXPECT_EQ(wrap_to(DType::kI4, 9), -7);
  EXPECT_EQ(wrap_to(DType::kBool, 17), 1);
  EXPECT_EQ(wrap_to(DType::kU32, -1), 4294967295);
  std::vector<std::byte> bytes(2);
  for (int i = 0; i < 4; ++i) store_integer(DType::kI4, bytes, i, i - 2);
  EXPECT_EQ(bytes[0], std::byte{0xFE});
  EXPECT_EQ(bytes[1], std::byte{0x10});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(load_integer(DType::kI4, bytes, i), i - 2);
}

TEST(ConstantData, Constants) {
  Context ctx(standard_ops());
  const ConstantId a = add_constant(ctx, DType::kF32, {2, 2}, std::vector<double>{1, 2, 3, 4.5});
  EXPECT_EQ(numbers(ctx, a), (std::vector<double>{1, 2, 3, 4.5}));
  EXPECT_EQ(a, add_constant(ctx, DType::kF32, {2, 2}, std::vector<double>{1, 2, 3, 4.5}));
  EXPECT_EQ(integers(ctx, add_constant(ctx, DType::kI64, {2}, std::vector<int64_t>{-1, 1LL << 60})),
            (std::vector<int64_t>{-1, 1LL << 60}));
  EXPECT_THROW(add_constant(ctx, DType::kF32, {3}, std::vector<double>{1}), MisuseError);
  EXPECT_THROW(numbers(ctx, a, 3), MisuseError);
}

// Sizes beyond 64 bits come from damaged files; the largest number stands for them.
TEST(ElementCount, OfMoreThanFitsIsTheLargest) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(element_count(static_shape({int64_t{1} << 40, int64_t{1} << 40})), kMost);
  EXPECT_EQ(element_count(static_shape({int64_t{1} << 40, int64_t{1} << 40, 0})), 0);
  EXPECT_EQ(element_count(static_shape({})), 1);
  EXPECT_EQ(byte_size(DType::kF64, kMost), kMost);
  EXPECT_EQ(byte_size(DType::kI4, 3), 2);
}

}  // namespace
}  // namespace isomer::ir
