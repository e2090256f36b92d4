// Sizes that are only named: one normal form, and comparisons case by case.
#include "ir/size.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "ir/op_table.h"
#include "ir/size_case.h"
#include "ir/size_formula.h"
#include "ir/size_sums.h"
#include "ir/size_words.h"
#include "support/errors.h"
#include "support/rng.h"

namespace isomer::ir {
namespace {

class Sizes : public testing::Test {
 protected:
  Context ctx{standard_ops()};
  SymbolId n_ = ctx.symbol("N"), m_ = ctx.symbol("M"), k_ = ctx.symbol("K");
  Size n = Size::named(n_), m = Size::named(m_), k = Size::named(k_);

  static int64_t at(const Size& size, const std::map<SymbolId, int64_t>& values) {
    return size.with([&](SymbolId s) { return Size(values.at(s)); }).number();
  }
};

TEST_F(Sizes, EqualPolynomialsAreOneValue) {
  EXPECT_TRUE(((n + 1) * (n - 1)).identical(n * n - 1));
  EXPECT_TRUE((n * m - m * n).identical(0));
  EXPECT_EQ(print(ctx, 2 * n * m + 3), "2*N*M+3");
  EXPECT_EQ(print(ctx, (n + 1).floor_div(2)), "((N+1)/2)");
  EXPECT_EQ(print(ctx, min(n, 8) - n), "min(N,8)-N");
  EXPECT_FALSE(n.identical(m));
}

TEST_F(Sizes, AreReadInTheWordsOfExporters) {
  const auto said = [&](const char* text) { return size_of(ctx, said_dim(ctx, text)); };
  EXPECT_TRUE(said("N").identical(n));
  EXPECT_TRUE(said("2*N*M + 3").identical(2 * n * m + 3));
  EXPECT_TRUE(said("floor(floor(N/2 - 1/2)/2) + 1").identical((n + 3).floor_div(4)));
  EXPECT_TRUE(said("(N - 1)//2 + 1").identical((n + 1).floor_div(2)));
  EXPECT_TRUE(said("floor(3*N/4 + M/6)").identical((9 * n + 2 * m).floor_div(12)));
  EXPECT_TRUE(said("2*(N/2)").identical(n));
  EXPECT_TRUE(said("-N + M").identical(m - n));
  for (const int64_t size : {4, 5}) {
    EXPECT_EQ(at(said("-(-N//2)"), {{n_, size}}), (size + 1) / 2);
    EXPECT_EQ(at(said("-N//2 + 7"), {{n_, size}}), 7 - (size + 1) / 2);
  }
  // No formula of sizes: names that stand for themselves.
  for (const char* text : {"N/2", "N**2", "N +", "floor(N", "Max(N, 3)", "N/0", "N/M", "(N", "batch size",
                           "N-1", "batch-size", "99999999999999999999*N", "N*N*N*N*N*N*N*N*N*N)"})
    EXPECT_TRUE(said(text).identical(Size::named(ctx.symbol(text)))) << text;
  // Nor is the name of an input's dimension.
  const SymbolId own = own_name(ctx, "K + 1");
  EXPECT_TRUE(said("K + 1").identical(Size::named(own)));
}

TEST_F(Sizes, WhatDoesNotFitIsNoSize) {
  const Size far = INT64_MAX;
  EXPECT_FALSE(smaller(far, n - 1));
  EXPECT_FALSE(larger(n - 1, far));
  EXPECT_THROW(min(far, n - 1), InputError);
  EXPECT_FALSE(sum(n - 1, Size(INT64_MIN)));
  EXPECT_FALSE(product(n, Size(INT64_MIN)));
  EXPECT_TRUE(smaller(n, far)->identical(n));
  EXPECT_TRUE(larger(n, m)->identical(max(n, m)));
  EXPECT_FALSE(put_in(n * far, [](SymbolId) { return Size(2); }));
  // Signs are asked of what is a size in one of the two cases of a minimum alone.
  const Size least = min(n, 4 * m) * (INT64_MAX / 2);
  EXPECT_EQ(SizeFacts().signs(least), kZero | kPositive);
  EXPECT_EQ(SizeFacts().decide(least, kNegative), false);
  EXPECT_EQ(SizeFacts().decide(least, kZero), std::nullopt);
}

TEST_F(Sizes, WhatDividesComesOutWhole) {
  EXPECT_TRUE(exact_quotient(n - m, m - n)->identical(-1));
  EXPECT_TRUE(exact_quotient(n * m, -1 * n)->identical(-1 * m));
  EXPECT_FALSE(exact_quotient(Size(INT64_MIN), -1));
  EXPECT_TRUE((6 * n + 3).floor_div(3).identical(2 * n + 1));
  EXPECT_TRUE((6 * n + 4).floor_div(3).identical(2 * n + 1));
  EXPECT_TRUE((6 * n - 1).floor_div(3).identical(2 * n - 1));
  EXPECT_TRUE((n * m + m).floor_div(m).identical(n + 1));
  EXPECT_TRUE((n * m).mod(m).identical(0));
  EXPECT_THROW(n.floor_div(0), MisuseError);
}

/// Every operation against integers, at random values.
TEST_F(Sizes, ExpressionsAreWhatTheirOperandsAre) {
  Rng rng(3);
  for (int round = 0; round < 2000; ++round) {
    const std::map<SymbolId, int64_t> values = {
        {n_, rng.between(0, 9)}, {m_, rng.between(1, 9)}, {k_, rng.between(0, 40)}};
    std::vector<std::pair<Size, int64_t>> made = {
        {n, values.at(n_)}, {m, values.at(m_)}, {k, values.at(k_)}, {3, 3}, {-2, -2}};
    for (int step = 0; step < 6; ++step) {
      const auto [a, x] = made[rng.below(made.size())];
      const auto [b, y] = made[rng.below(made.size())];
      switch (rng.below(6)) {
        case 0: made.emplace_back(a + b, x + y); break;
        case 1: made.emplace_back(a - b, x - y); break;
        case 2:
          if (std::abs(x * y) < 100'000) made.emplace_back(a * b, x * y);
          break;
        case 3: made.emplace_back(max(a, b), std::max(x, y)); break;
        case 4: made.emplace_back(min(a, b), std::min(x, y)); break;
        default: {
          const int64_t d = rng.between(1, 5);
          made.emplace_back(a.floor_div(d), (x >= 0 ? x : x - d + 1) / d);
          made.emplace_back(a.floor_div(m), (x >= 0 ? x : x - values.at(m_) + 1) / values.at(m_));
        }
      }
      ASSERT_EQ(at(made.back().first, values), made.back().second) << print(ctx, made.back().first);
    }
  }
}

TEST_F(Sizes, SignsAreCertainOrLeftOpen) {
  SizeFacts facts;
  EXPECT_EQ(facts.signs(n + 1), kPositive);
  EXPECT_EQ(facts.signs(n), kZero | kPositive);
  EXPECT_EQ(facts.signs(n - m), kNegative | kZero | kPositive);
  facts.add(m - 1, kZero | kPositive);
  EXPECT_EQ(facts.signs(n * m - n), kZero | kPositive);
  facts.add(n - m, kNegative);
  EXPECT_EQ(facts.signs(m - n), kPositive);
  facts.add(k - 2 * n, kZero);
  EXPECT_EQ(facts.signs(k - n - n), kZero);
  EXPECT_EQ(facts.signs(Size(int64_t{1} << 31) - n), kPositive);
}

TEST_F(Sizes, SignsOfWhatIsAlmostTooLarge) {
  constexpr int64_t kStep = int64_t{1} << 61;
  const Size bounded = *smaller(n * kStep, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(SizeFacts().decide(bounded - 3 * kStep, kZero), std::nullopt) << "at N = 3 it is zero";
  SizeFacts facts;
  const Size quotient = n.floor_div(m);
  facts.add(m, kZero);
  EXPECT_NO_THROW(static_cast<void>(facts.signs(quotient)));
}

/// The signs that facts leave open are those of the values that the facts admit, and maybe more.
TEST_F(Sizes, SignsLeaveOutNoValue) {
  Rng rng(8);
  for (int round = 0; round < 3000; ++round) {
    const auto linear = [&] {
      return Size(rng.between(-3, 3)) * n + Size(rng.between(-2, 2)) * m + rng.between(-6, 6);
    };
    const auto sign = [](int64_t x) { return x < 0 ? kNegative : x == 0 ? kZero : kPositive; };
    SizeFacts facts;
    std::vector<std::pair<Size, Signs>> given;
    for (int i = 0; i < 3; ++i) {
      given.emplace_back(linear(), static_cast<Signs>(rng.between(1, 6)));
      facts.add(given.back().first, given.back().second);
    }
    const Size asked = linear() * (rng.chance(0.3) ? n : Size(1)) + (rng.chance(0.3) ? max(n, m) : Size(0)) +
                       (rng.chance(0.3) ? (n * m).floor_div(2) : Size(0));
    const Signs possible = facts.signs(asked);
    for (int64_t x = 0; x < 8; ++x)
      for (int64_t y = 0; y < 8; ++y) {
        const std::map<SymbolId, int64_t> values = {{n_, x}, {m_, y}};
        bool admitted = true;
        for (const auto& [size, signs] : given) admitted = admitted && (sign(at(size, values)) & signs) != 0;
        if (!admitted) continue;
        ASSERT_NE(possible & sign(at(asked, values)), 0)
            << print(ctx, asked) << " given " << print(ctx, facts) << " at " << x << ", " << y;
      }
  }
}

TEST_F(Sizes, ComparisonsTellCasesApart) {
  EXPECT_THROW(static_cast<void>(n == 1), MisuseError);
  std::vector<std::string> seen;
  const auto cases = for_each_case([&] {
    const std::string first = n == 1 ? "one" : n > 4 ? "many" : "few";
    seen.push_back(first + (n == 1 && m < n ? ", none" : ""));
  });
  ASSERT_TRUE(cases);
  EXPECT_EQ(seen, (std::vector<std::string>{"one, none", "one", "many", "few"}));
  EXPECT_TRUE((*cases)[0].normal(n).identical(1));
  EXPECT_FALSE(for_each_case([&] { static_cast<void>(n == 1), static_cast<void>(m == 1); }, {}, 3));
}

TEST_F(Sizes, DimensionsOfFormulasAreNamedOnce) {
  const Dim twice = dim_of(ctx, n + n), again = dim_of(ctx, 2 * n);
  EXPECT_TRUE(twice.same(again));
  EXPECT_TRUE(size_of(ctx, twice).identical(2 * n));
  EXPECT_TRUE(dim_of(ctx, n).same(Dim::symbol(n_)));
  EXPECT_EQ(dim_of(ctx, n - n + 4), Dim(4));
  EXPECT_TRUE(dim_of(ctx, -1).is_unknown());
}

}  // namespace
}  // namespace isomer::ir
