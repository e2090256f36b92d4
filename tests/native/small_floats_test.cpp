// Floats of 8 bits as machine code reads and writes them: every pattern, and the numbers around every place
// where rounding turns, held to the table's own conversions (ir/float_bits.h), in lanes and one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "codegen/lower.h"
#include "codegen/schedule.h"
#include "codegen/small_floats.h"
#include "ir/float_bits.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "native/program.h"

namespace isomer::native {
namespace {

std::vector<ir::DType> types_of_a_byte() {
  std::vector<ir::DType> out;
  for (int i = 1; i < ir::dtype_count(); ++i)
    if (const auto type = static_cast<ir::DType>(i);
        codegen::is_small_float(type) && ir::bit_width(type) == 8)
      out.push_back(type);
  return out;
}

Program compiled(ir::Context& ctx, const std::string& from, const std::string& op, const std::string& to,
                 size_t count, int lanes) {
  const std::string text =
      fmt::format("graph {{ %x = input{{name=\"x\"}} : {}[{}]\n %y = {}(%x) : {}[{}]\n return %y }}", from,
                  count, op, to, count);
  codegen::ScheduleOptions options;
  options.lanes = lanes;
  return Program(codegen::schedule(codegen::lower(ir::parse_graph(ctx, text)), options), ctx);
}

/// Equal as numbers, zeros by their sign, and any NaN is one.
bool same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class Float>
void holds_to_the_table(const char* name) {
  constexpr Float kInfinity = std::numeric_limits<Float>::infinity();
  for (const ir::DType type : types_of_a_byte())
    for (const int lanes : {1, 8}) {
      const ir::FloatFormat& format = ir::row(type).format;
      std::vector<uint8_t> patterns(256);
      std::vector<Float> numbers(256), given;
      for (size_t i = 0; i < 256; ++i) patterns[i] = static_cast<uint8_t>(i);
      ir::Context ctx(ir::standard_ops());
      const std::string word(ir::name(type));
      const auto cast_to = [&](ir::DType to) { return fmt::format("cast{{to={}}}", ir::name(to)); };
      const ir::DType wide = sizeof(Float) == 8 ? ir::DType::kF64 : ir::DType::kF32;
      const void* in[] = {patterns.data()};
      void* out[] = {numbers.data()};
      compiled(ctx, word, cast_to(wide), name, 256, lanes).run(in, out);
      for (uint32_t i = 0; i < 256; ++i)
        EXPECT_TRUE(same_number(numbers[i], ir::decode_float(format, i)))
            << word << " " << i << ": " << numbers[i];

      for (uint32_t i = 0; i < 127; ++i) {
        const double low = ir::decode_float(format, i), high = ir::decode_float(format, i + 1);
        if (!std::isfinite(low)) continue;
        for (const double at : {low, std::isfinite(high) ? (low + high) / 2 : low * 1.0625, format.largest})
          for (const Float x : {static_cast<Float>(at), std::nextafter(static_cast<Float>(at), Float{0}),
                                std::nextafter(static_cast<Float>(at), kInfinity)})
            given.insert(given.end(), {x, -x});
      }
      for (const Float x :
           {Float{0}, Float{1e-30F}, Float{1e30F}, kInfinity, std::numeric_limits<Float>::max(),
            std::numeric_limits<Float>::denorm_min(), std::numeric_limits<Float>::quiet_NaN()})
        given.insert(given.end(), {x, -x});
      std::vector<uint8_t> made(given.size());
      const void* from[] = {given.data()};
      void* to[] = {made.data()};
      compiled(ctx, name, cast_to(type), word, given.size(), lanes).run(from, to);
      for (size_t i = 0; i < given.size(); ++i)
        EXPECT_TRUE(same_number(
            ir::decode_float(format, made[i]),
            ir::decode_float(format, ir::encode_float(format, ir::round_float(format, given[i])))))
            << word << " of " << given[i] << ": pattern " << int{made[i]};
    }
}

TEST(SmallFloats, AreAllThatSinglePrecisionHolds) {
  EXPECT_EQ(types_of_a_byte().size(), 7u);  // but for the one without a sign and a mantissa
  using enum ir::FloatSpecials;
  EXPECT_TRUE(codegen::single_holds({8, 7, 127, 0x1.fep127, kIeee}));
  EXPECT_TRUE(codegen::single_holds({5, 10, 15, 65504, kIeee}));
  EXPECT_FALSE(codegen::single_holds({11, 4, 1023, 0x1.fp1023, kIeee}));
  EXPECT_FALSE(codegen::single_holds({8, 7, 120, 0x1.fep134, kIeee}));
  EXPECT_FALSE(codegen::single_holds({4, 3, 140, 0x1p-120, kNone}));
  EXPECT_FALSE(codegen::single_holds({8, 0, 127, 0x1p127, kNone}));
}

TEST(SmallFloats, AreReadAndWrittenInSinglePrecisionAsTheTableHasThem) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  holds_to_the_table<float>("f32");
}

TEST(SmallFloats, AreReadAndWrittenInDoublePrecisionAsTheTableHasThem) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  holds_to_the_table<double>("f64");
}

}  // namespace
}  // namespace isomer::native
