// Affine forms against the index expressions that they come from, at every point of small loop extents.
#include "meaning/affine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "meaning/index_value.h"
#include "support/rng.h"

namespace isomer::meaning {
namespace {

using ir::IndexExpr;

IndexExpr random_expr(Rng& rng, int depth) {
  if (depth == 0 || rng.chance(0.2))
    return rng.chance(0.7) ? IndexExpr::var(static_cast<int>(rng.below(3))) : IndexExpr(rng.between(-5, 9));
  const IndexExpr a = random_expr(rng, depth - 1);
  switch (rng.below(6)) {
    case 0: return a * rng.between(-3, 6);
    case 1: return a.floor_div(rng.between(1, 6));
    case 2: return a.mod(rng.between(1, 6));
    case 3: return min(a, random_expr(rng, depth - 1));
    case 4: return max(a, random_expr(rng, depth - 1));
    default: return a + random_expr(rng, depth - 1);
  }
}

TEST(Affine, EqualsTheExpressionEverywhere) {
  Rng rng(11);
  int affine = 0;
  for (int round = 0; round < 3000; ++round) {
    const int64_t extents[3] = {rng.between(1, 4), rng.between(1, 6), rng.between(1, 3)};
    const IndexExpr e = random_expr(rng, 4);
    const auto form = to_affine(e, extents);
    if (!form) continue;
    ++affine;
    int64_t low = 1 << 30, high = -(1 << 30);
    for (int64_t i = 0; i < extents[0]; ++i)
      for (int64_t j = 0; j < extents[1]; ++j)
        for (int64_t k = 0; k < extents[2]; ++k) {
          const int64_t vars[3] = {i, j, k};
          const int64_t value = form->at(vars);
          ASSERT_EQ(value, value_at(e, vars)) << "round " << round;
          low = std::min(low, value);
          high = std::max(high, value);
        }
    EXPECT_EQ(form->range(extents), (std::pair{low, high})) << "round " << round;
  }
  EXPECT_GT(affine, 1000);
}

TEST(Affine, TheGroupOfAConvolutionWithOneGroup) {
  const int64_t extents[2] = {64, 9};
  const auto form = to_affine(IndexExpr::var(0).floor_div(64) * 9 + IndexExpr::var(1), extents);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->terms, (std::vector<std::pair<int, int64_t>>{{1, 1}}));
}

TEST(Affine, DigitsOfALinearNumber) {
  const int64_t extents[2] = {5, 7};
  const IndexExpr linear = IndexExpr::var(0) * 7 + IndexExpr::var(1);
  EXPECT_EQ(to_affine(linear.floor_div(7), extents)->terms, (std::vector<std::pair<int, int64_t>>{{0, 1}}));
  EXPECT_EQ(to_affine(linear.mod(7), extents)->terms, (std::vector<std::pair<int, int64_t>>{{1, 1}}));
  EXPECT_FALSE(to_affine(linear.floor_div(5), extents));
}

}  // namespace
}  // namespace isomer::meaning
