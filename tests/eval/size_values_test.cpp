// Random programs over the shape of an input with named dimensions: whatever is called certain must be what
// the interpreter computes once the names have sizes.
#include "eval/size_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "ir/size_formula.h"
#include "support/rng.h"

namespace isomer::eval {
namespace {

using ir::Dim;
using ir::DType;
using ir::ValueId;

/// The same random program for the same seed, over an input of that shape.
struct Program {
  ir::Builder b;
  std::vector<ValueId> rows;  ///< i64 [3]
  explicit Program(ir::Context& ctx, const ir::Shape& shape, uint64_t seed) : b(ctx) {
    Rng rng(seed);
    const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, shape));
    rows.push_back(b.add("shape", {x}, {{"start", int64_t{0}}, {"end", int64_t{3}}}));
    rows.push_back(row(rng));
    for (int step = 0; step < 12; ++step) rows.push_back(next(rng));
  }

 private:
  ValueId row(Rng& rng) {
    std::vector<double> numbers;
    for (int i = 0; i < 3; ++i) numbers.push_back(static_cast<double>(rng.between(-2, 4)));
    return b.constant(DType::kI64, {3}, numbers);
  }
  ValueId any(Rng& rng) { return rows[rng.below(rows.size())]; }
  ValueId truth(Rng& rng) {
    static const char* const kOps[] = {"equal", "less", "less_equal", "greater"};
    const ValueId a = any(rng), c = rng.chance(0.5) ? row(rng) : any(rng);
    return b.add(kOps[rng.below(4)], {a, c});
  }
  ValueId next(Rng& rng) {
    static const char* const kArithmetic[] = {"add", "sub", "max", "min", "mul"};
    // Few products, so that 64 bits hold what the formulas say.
    const bool multiplies = products_ < 3;
    const std::vector<int64_t> zero = {0};
    switch (rng.below(9)) {
      case 0: return row(rng);
      case 1: {
        std::vector<double> divisors;
        for (int i = 0; i < 3; ++i) divisors.push_back(static_cast<double>(rng.between(1, 3)));
        return b.add(rng.chance(0.5) ? "div" : "mod", {any(rng), b.constant(DType::kI64, {3}, divisors)});
      }
      case 2: {
        const ValueId a = any(rng), c = any(rng);
        return b.add("where", {truth(rng), a, c});
      }
      case 3: {
        std::vector<double> places;
        for (int i = 0; i < 3; ++i) places.push_back(static_cast<double>(rng.between(-3, 2)));
        return b.add("gather", {any(rng), b.constant(DType::kI64, {3}, places)}, {{"axis", int64_t{0}}});
      }
      case 4: {
        if (!multiplies) return row(rng);
        ++products_;
        const ValueId product = b.add("reduce_prod", {any(rng)}, {{"axes", zero}, {"keepdims", int64_t{1}}});
        return b.add("broadcast", {product}, {{"shape", ir::static_shape({3})}});
      }
      case 5: {
        const ValueId front = b.add("slice", {any(rng)},
                                    {{"axes", zero},
                                     {"starts", zero},
                                     {"ends", std::vector<int64_t>{2}},
                                     {"steps", std::vector<int64_t>{1}}});
        const ValueId back = b.add("slice", {any(rng)},
                                   {{"axes", zero},
                                    {"starts", std::vector<int64_t>{2}},
                                    {"ends", std::vector<int64_t>{3}},
                                    {"steps", std::vector<int64_t>{1}}});
        return b.add("concat", {front, back}, {{"axis", int64_t{0}}});
      }
      default: {
        const ValueId a = any(rng), c = rng.chance(0.5) ? row(rng) : any(rng);
        const uint64_t op = rng.below(multiplies ? 5 : 4);
        products_ += op == 4;
        return b.add(kArithmetic[op], {a, c});
      }
    }
  }
  int products_ = 0;
};

TEST(SizeValues, WhatIsCertainIsWhatTheInterpreterComputes) {
  int certain = 0, symbolic = 0, named = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ir::Context ctx(ir::standard_ops());
    const ir::SymbolId batch = ctx.symbol("b"), seq = ctx.symbol("s");
    Program open(ctx, {Dim::symbol(batch), Dim::symbol(seq), Dim(6)}, seed);
    SizeValues sizes(open.b.so_far());
    for (const auto& [b, s] : {std::pair{1, 1}, {2, 5}, {0, 3}, {7, 2}}) {
      Program fixed(ctx, {Dim(b), Dim(s), Dim(6)}, seed);
      ASSERT_EQ(open.rows, fixed.rows);
      const std::vector<ValueId> outputs = fixed.rows;
      const ir::Graph graph = fixed.b.finish(outputs);
      Float64 domain;
      const Tensor<double> x{DType::kF32, {b, s, 6}, std::vector<double>(static_cast<size_t>(b * s * 6)), {}};
      const std::vector<Value<double>> inputs = {make_value(x)};
      const auto results = evaluate<Float64>(domain, graph, inputs);
      for (size_t r = 0; r < outputs.size(); ++r) {
        const auto elements = sizes.of(outputs[r]);
        for (size_t i = 0; i < elements.size(); ++i) {
          const auto* size = std::get_if<ir::Size>(&elements[i]);
          if (!size) continue;
          const ir::Size sized =
              size->with([&](ir::SymbolId name) { return ir::Size(name == batch ? b : s); });
          const int64_t value = sized.number();
          symbolic += !size->is_number();
          named += !size->is_number() && size->terms()[0].atoms.size() > 1;
          EXPECT_EQ(value, results[r].tensor->integers[i])
              << "seed " << seed << " row " << r << " place " << i;
          ++certain;
        }
      }
    }
  }
  EXPECT_GT(certain, 10000);
  EXPECT_GT(symbolic, 1000);
  EXPECT_GT(named, 100);
}

TEST(SizeValues, FollowsProgramsOfSizes) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ir::SymbolId n = ctx.symbol("N");
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, {Dim::symbol(n), Dim(6), Dim(5)}));
  const auto ints = [&](std::vector<double> v) {
    return b.constant(DType::kI64, {static_cast<int64_t>(v.size())}, v);
  };
  const ValueId shape = b.add("shape", {x}, {{"start", int64_t{0}}, {"end", int64_t{3}}});
  const ValueId first = b.add("gather", {shape, ints({0})}, {{"axis", int64_t{0}}});
  const ValueId second = b.add("gather", {shape, ints({-2})}, {{"axis", int64_t{0}}});
  const ValueId half = b.add("div", {second, ints({2})});
  const ValueId all = b.add("concat", {first, half, ints({-1})}, {{"axis", int64_t{0}}});
  SizeValues sizes(b.so_far());
  const auto texts = [&](ValueId v) {
    std::vector<std::string> out;
    const auto found = sizes.integers(v);
    if (found)
      for (const ir::Size& size : *found) out.push_back(print(ctx, size));
    return out;
  };
  EXPECT_EQ(texts(all), (std::vector<std::string>{"N", "3", "-1"}));
  EXPECT_EQ(texts(b.add("mul", {first, ints({2})})), (std::vector<std::string>{"2*N"}));
  EXPECT_FALSE(sizes.integers(x));
}

/// torch's `expand` with -1 for dimensions that are kept, of which one is named.
TEST(SizeValues, KeptDimensionsOfAnExpand) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, {Dim::symbol(ctx.symbol("batch")), Dim(3)}));
  const ValueId batch = b.add("shape", {x}, {{"start", int64_t{0}}, {"end", int64_t{1}}});
  const ValueId target =
      b.add("concat", {batch, b.constant(DType::kI64, {2}, {-1, -1})}, {{"axis", int64_t{0}}});
  const ValueId ones = b.constant(DType::kI64, {3}, {1, 1, 1}),
                minus = b.constant(DType::kI64, {3}, {-1, -1, -1});
  const ValueId kept = b.add("equal", {target, b.add("mul", {ones, minus})});
  SizeValues sizes(b.so_far());
  const auto found = sizes.integers(b.add("where", {kept, ones, target}));
  ASSERT_TRUE(found);
  EXPECT_TRUE((*found)[0].identical(ir::Size::named(ctx.symbol("batch"))));
  EXPECT_TRUE((*found)[1].identical(1));
}

/// A dimension of `2 * seq + 1` is one again when 1 is taken off and half of it.
TEST(SizeElements, NamesOfFormulasAreRemembered) {
  ir::Context ctx(ir::standard_ops());
  const SizeElement seq = size_element(ctx, Dim::symbol(ctx.symbol("seq")));
  const auto apply = [&](ir::ScalarOp op, const SizeElement& a, int64_t n) {
    return apply_scalar(op, {}, a, whole(n));
  };
  const SizeElement more = apply(ir::ScalarOp::kAdd, apply(ir::ScalarOp::kMul, seq, 2), 1);
  const Dim dim = dim_of(ctx, std::get<ir::Size>(more));
  EXPECT_EQ(ctx.get(dim.symbol()), "2*seq+1");
  const SizeElement again =
      apply(ir::ScalarOp::kDiv, apply(ir::ScalarOp::kSub, size_element(ctx, dim), 1), 2);
  EXPECT_TRUE(std::get<ir::Size>(again).identical(std::get<ir::Size>(seq)));
}

/// A slice [0 : seq] of a table of 512 rows has seq rows wherever something of seq rows is added to it.
TEST(SizeElements, TheSmallerOfASizeAndANumber) {
  ir::Context ctx(ir::standard_ops());
  const Dim seq = Dim::symbol(ctx.symbol("seq")), other = Dim::symbol(ctx.symbol("other"));
  const Dim twice = dim_of(ctx, 2 * size_of(ctx, seq) + 1);
  const auto least = [&](Dim size, int64_t n) { return dim_of(ctx, min(size_of(ctx, size), n)); };
  EXPECT_EQ(ctx.get(least(seq, 512).symbol()), "min(seq,512)");
  EXPECT_EQ(broadcast_dim(ctx, least(seq, 512), seq), seq);
  EXPECT_EQ(broadcast_dim(ctx, seq, least(seq, 2)), seq);
  EXPECT_EQ(broadcast_dim(ctx, least(twice, 512), twice), twice);
  EXPECT_TRUE(broadcast_dim(ctx, least(seq, 512), other).is_unknown());
  EXPECT_TRUE(broadcast_dim(ctx, least(seq, 1), seq).is_unknown()) << "one row is repeated";
  EXPECT_EQ(least(seq, 0), Dim(0));
  EXPECT_EQ(broadcast_dim(ctx, seq, Dim(1)), seq);
  EXPECT_EQ(broadcast_dim(ctx, seq, Dim(7)), Dim(7));
}

/// Floor(Cast(height) * scale): as a runtime computes it in 32 bits, not as a double would have it.
TEST(SizeValues, FloatsAreRoundedWhereARuntimeRounds) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId scaled =
      b.add("mul", {b.constant(DType::kF32, {1}, {100}), b.constant(DType::kF32, {1}, {0.29})});
  SizeValues sizes(b.so_far());
  const ValueId whole_part =
      b.add("cast", {b.add("floor", {scaled})}, {{"to", static_cast<int64_t>(DType::kI64)}});
  const auto found = sizes.integers(whole_part);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0].number(), static_cast<int64_t>(std::floor(100.0F * 0.29F)));
  EXPECT_NE((*found)[0].number(), static_cast<int64_t>(std::floor(100.0 * 0.29)));
}

TEST(SizeValues, NothingIsCertainOfWhatAnInputHolds) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kI64, {Dim(2)}));
  const ValueId both = b.add("concat", {x, b.constant(DType::kI64, {1}, {7})}, {{"axis", int64_t{0}}});
  SizeValues sizes(b.so_far());
  EXPECT_FALSE(sizes.integers(both));
  ASSERT_EQ(sizes.of(both).size(), 3u);
  EXPECT_FALSE(is_certain(sizes.of(both)[0]));
  EXPECT_EQ(*as_number(sizes.of(both)[2]), 7);
  EXPECT_TRUE(sizes.of(x).empty());
}

/// The edges of 64 bits: no certain element, and no fault.
TEST(SizeElements, OverflowIsNotCertain) {
  ir::Context ctx(ir::standard_ops());
  const SizeElement least = whole(std::numeric_limits<int64_t>::min());
  const SizeElement seq = size_element(ctx, Dim::symbol(ctx.symbol("seq")));
  using ir::ScalarOp;
  for (ScalarOp op : {ScalarOp::kAdd, ScalarOp::kSub, ScalarOp::kMul, ScalarOp::kDiv, ScalarOp::kMod,
                      ScalarOp::kMax, ScalarOp::kMin, ScalarOp::kLess, ScalarOp::kEqual}) {
    for (const SizeElement& b : {least, whole(-1), whole(0), seq}) apply_scalar(op, {}, least, b);
    for (const SizeElement& b : {least, whole(-1), whole(0)}) apply_scalar(op, {}, seq, b);
  }
  EXPECT_FALSE(is_certain(apply_scalar(ScalarOp::kMul, {}, least, whole(-1))));
  EXPECT_FALSE(is_certain(apply_scalar(ScalarOp::kDiv, {}, seq, whole(0))));
}

}  // namespace
}  // namespace isomer::eval
