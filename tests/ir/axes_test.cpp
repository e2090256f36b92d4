// Nests that are generated from what is said of one axis of each role: the same for any number of them.
#include "ir/ops/axes.h"

#include <gtest/gtest.h>

#include <array>

#include "ir/op_table.h"

namespace isomer::ir::ops {
namespace {

using Sizes = std::vector<int64_t>;

/// "v0 v2": the variables that a read's index is made of, a plain one in each dimension.
std::string variables(const Read& read) {
  std::string out;
  for (const IndexExpr& e : read.index) {
    EXPECT_EQ(e.kind(), IndexExpr::Kind::kVar);
    out += (out.empty() ? "v" : " v") + std::to_string(e.value());
  }
  return out;
}

class Axes : public testing::Test {
 protected:
  /// matmul at two shapes, whose result has the third.
  OpInstance product(const Sizes& a, const Sizes& b, const Sizes& out) {
    types_ = {type(a), type(b)};
    return {ctx_, ctx_.ops().get(ctx_.ops().at("matmul")), {}, types_, type(out)};
  }
  TypeId type(const Sizes& sizes) { return ctx_.tensor_type(DType::kF32, Shape(sizes.begin(), sizes.end())); }

  Context ctx_{standard_ops()};
  std::vector<TypeId> types_;
};

TEST_F(Axes, ProductsOfAnyRankHaveOneDeclaration) {
  struct Case {
    Sizes a, b, out;
    std::string from_a, from_b;
  };
  for (const Case& c : {Case{{2, 3}, {3, 4}, {2, 4}, "v0 v2", "v2 v1"},
                        Case{{5, 2, 3}, {5, 3, 4}, {5, 2, 4}, "v0 v1 v3", "v0 v3 v2"},
                        Case{{6, 5, 2, 3}, {3, 4}, {6, 5, 2, 4}, "v0 v1 v2 v4", "v4 v3"}}) {
    const OpInstance op = product(c.a, c.b, c.out);
    const LoopNest nest = op.op.nests(op)[0];
    EXPECT_EQ(numbers(nest.space), c.out);
    EXPECT_EQ(numbers(nest.reduce), Sizes{3});
    EXPECT_EQ(variables(nest.reads[0]), c.from_a);
    EXPECT_EQ(variables(nest.reads[1]), c.from_b);
  }
}

TEST_F(Axes, WhatIsSummedMayStayAsOne) {
  const Size two = 2, three = 3;
  const OpInstance dropped = product({2, 3}, {3, 3}, {2});
  const LoopNest nest = nest_of(dropped, summed_over({1}, std::array{two, three}, {0}, false));
  EXPECT_EQ(variables(nest.reads[0]), "v0 v1");
  const OpInstance kept = product({2, 3}, {3, 3}, {2, 1});
  const LoopNest with_one = nest_of(kept, summed_over({1}, std::array{two, three}, {0}, true));
  EXPECT_EQ(variables(with_one.reads[0]), "v0 v2");
  EXPECT_EQ(numbers(with_one.reduce), Sizes{3});
}

TEST_F(Axes, RolesThatMakeAnotherRankAreMisuse) {
  const OpInstance op = product({2, 3}, {3, 4}, {2, 4});
  EXPECT_ANY_THROW(nest_of(op, std::array{kept(3, {0})}));
}

}  // namespace
}  // namespace isomer::ir::ops
