// What the elements of tests are.
#include "verify/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "ir/op_table.h"
#include "ir/print.h"
#include "verify/random_leaves.h"

namespace isomer::verify {
namespace {

TEST(Draws, EndsOfIntegersThatFloatsAreCastToAreThresholds) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph g {
  %0 = input{name="x"} : f32[2]
  %1 = cast{to=i32}(%0) : i32[2]
  %2 = cast{to=u8}(%0) : u8[2]
  return %1, %2
})");
  EXPECT_EQ(thresholds_of(graph, graph), (std::vector<double>{0x1p31, 0x1p8}));
}

TEST(Draws, EveryTestHasAWayOfItsOwn) {
  std::set<Floats> ways;
  for (int test = 0; test < 7; ++test) ways.insert(floats_of(test));
  EXPECT_EQ(ways.size(), 7u);
}

TEST(Draws, ExtremesReachTheEndsAndTheMiddle) {
  Draw draw;
  draw.integers = Integers::kExtremes;
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 2000; ++i) {
    const int64_t x = draw.integer(ir::DType::kI8, 1, 0, i);
    EXPECT_TRUE(x >= -128 && x <= 127);
    seen.insert(x);
  }
  for (const int64_t end : {-128, 127, 0, -1, 1, 15, 100}) EXPECT_TRUE(seen.contains(end)) << end;
}

TEST(Draws, StraysLeaveTheRangeOfTheirLeaf) {
  const LeafRange range{7, -3, 3};
  Draw draw;
  draw.integers = Integers::kStray;
  draw.ranges = {&range, 1};
  int outside = 0;
  for (int64_t i = 0; i < 600; ++i) {
    const int64_t x = draw.integer(ir::DType::kI64, 7, 0, i);
    outside += x < -3 || x >= 3;
  }
  EXPECT_GT(outside, 50);
  EXPECT_LT(outside, 200);
}

TEST(Draws, IndicesHaveARangeDivisorsHaveNone) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(
      ctx,
      R"(graph { %x = input{name="x"} : f32[5] %i = input{name="i"} : i64[2] %d = input{name="d"} : i64[2]
              %g = gather{axis=0}(%x, %i) : f32[2] %q = div(%i, %d) : i64[2] return %g, %q })");
  const std::vector<LeafRange> ranges = index_ranges(graph);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].leaf, input_leaf(1));
  EXPECT_EQ(ranges[0].low, -5);
  EXPECT_EQ(ranges[0].high, 5);
}

TEST(Draws, IndicesWithoutASignDoNotCountFromTheEnd) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(
      ctx,
      R"(graph { %x = input{name="x"} : f32[5] %i = input{name="i"} : u8[2] %j = cast{to=i64}(%i) : i64[2]
              %g = gather{axis=0}(%x, %j) : f32[2] return %g })");
  const std::vector<LeafRange> ranges = index_ranges(graph);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].low, 0);
  EXPECT_EQ(ranges[0].high, 5);
}

TEST(Draws, ThresholdsAreTheNumbersThatProgramsName) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(
      ctx, R"(graph { %x = input{name="x"} : f32[4] %y = clip{min=-3.5, max=7}(%x) : f32[4] return %y })");
  const std::vector<double> found = thresholds_of(graph, graph);
  EXPECT_EQ(std::set<double>(found.begin(), found.end()), (std::set<double>{-3.5, 7}));
}

/// How often over many draws `holds` of what is drawn.
template <class Holds>
int times(Arrangement how, const Holds& holds) {
  int out = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw{.seed = seed, .floats = Floats::kCoarse};
    draw.arrangement = how;
    std::vector<double> x(9);
    draw.numbers(ir::DType::kF32, 1, 0, x);
    out += holds(x);
  }
  return out;
}

TEST(Draws, ArrangedElementsAreInOrderOrNearlySo) {
  const auto rises = [](const std::vector<double>& x, size_t but) {
    for (size_t i = 0; i + 1 < x.size(); ++i)
      if (i + 1 != but && x[i] >= x[i + 1]) return false;
    return true;
  };
  EXPECT_GT(times(Arrangement::kInOrder, [&](const auto& x) { return rises(x, 99); }), 60);
  EXPECT_GT(times(Arrangement::kInOrder, [&](const auto& x) { return rises(x, 8) && x[7] >= x[8]; }), 5);
  EXPECT_GT(times(Arrangement::kInOrder, [&](const auto& x) { return x[8] < 0 && rises(x, 99); }), 5);
  EXPECT_EQ(times(Arrangement::kApart, [&](const auto& x) { return rises(x, 8); }), 0);
}

TEST(Draws, ArrangedElementsAreAlikeButForOne) {
  const auto alike = [](const std::vector<double>& x, size_t but) {
    const double most = x[but == 0 ? 1 : 0];
    for (size_t i = 0; i < x.size(); ++i)
      if ((i == but) == (x[i] == most)) return false;
    return true;
  };
  for (const size_t but : {size_t{0}, size_t{8}, size_t{99}})
    EXPECT_GT(times(Arrangement::kAllAlike, [&](const auto& x) { return alike(x, but); }), 10) << but;
}

TEST(Draws, ArrangedIntegersAreOfTheirTypes) {
  int false_but_for_one = 0, rising = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw{.seed = seed, .floats = Floats::kCoarse, .integer_low = -1000, .integer_high = 1000};
    draw.arrangement = Arrangement::kAllAlike;
    const std::vector<int64_t> flags = draw.integers_of(ir::DType::kBool, 1, 0, 20);
    for (const int64_t x : flags) EXPECT_TRUE(x == 0 || x == 1) << x;
    false_but_for_one += std::ranges::count(flags, 1) == 1;
    draw.arrangement = Arrangement::kInOrder;
    const std::vector<int64_t> bytes = draw.integers_of(ir::DType::kU8, 1, 0, 100);
    for (const int64_t x : bytes) EXPECT_TRUE(x >= 0 && x <= 255) << x;
    rising += std::ranges::is_sorted(bytes);
  }
  EXPECT_GT(false_but_for_one, 10);
  EXPECT_GT(rising, 50);
}

TEST(Draws, AllElementsTogetherAreThoseOneByOne) {
  constexpr double kThresholds[] = {0.5, -3};
  for (int way = 0; way <= static_cast<int>(Floats::kSpecials); ++way)
    for (const ir::DType dtype : {ir::DType::kF64, ir::DType::kF32, ir::DType::kF16, ir::DType::kBF16})
      for (const uint64_t nudged : {0, 9}) {
        Draw draw{.seed = 7, .floats = Floats(way), .thresholds = kThresholds, .nudged = nudged};
        std::vector<double> together(200);
        draw.numbers(dtype, 3, 1, together);
        const DrawnLeaf leaf(draw, dtype, 3, 1);
        for (size_t i = 0; i < together.size(); ++i) {
          double one = leaf(static_cast<int64_t>(i));
          EXPECT_EQ(std::bit_cast<uint64_t>(together[i]), std::bit_cast<uint64_t>(one)) << "leaf, " << i;
          draw.number(dtype, 3, 1, static_cast<int64_t>(i), one);
          EXPECT_EQ(std::bit_cast<uint64_t>(together[i]), std::bit_cast<uint64_t>(one))
              << name_of(draw.floats) << " " << ir::name(dtype) << " " << i;
        }
      }
  const Draw draw{.seed = 7};
  std::vector<eval::FieldValue> together(20);
  draw.numbers(ir::DType::kF32, 3, 1, together);
  for (size_t i = 0; i < together.size(); ++i) {
    eval::FieldValue one;
    draw.number(ir::DType::kF32, 3, 1, static_cast<int64_t>(i), one);
    EXPECT_TRUE(agree(together[i], one)) << i;
  }
}

TEST(Draws, SpecialsComeAsTheyAre) {
  Draw draw;
  draw.floats = Floats::kSpecials;
  int infinite = 0, nan = 0;
  for (uint64_t leaf = 0; leaf < 20; ++leaf)
    for (int64_t i = 0; i < 20; ++i) {
      double x = 0;
      draw.number(ir::DType::kF16, leaf, 0, i, x);
      infinite += std::isinf(x);
      nan += std::isnan(x);
    }
  EXPECT_GT(infinite, 20);
  EXPECT_GT(nan, 20);
}

}  // namespace
}  // namespace isomer::verify
