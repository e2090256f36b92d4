// Conditions over named sizes: what has a value has it at numbers, at every size of the names from 0 to 5;
// and what the polynomials decide is decided.
#include "rewrite/rule_expr.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/op_case.h"
#include "ir/op_table.h"
#include "rewrite/rule_parser.h"

namespace isomer::rewrite {
namespace {

class RuleExpr : public testing::Test {
 protected:
  /// The value of an expression over ?x and ?y.
  std::optional<ir::AttrValue> value(const std::string& expr, const ir::Values& values) {
    const RuleSet set = parse_rules(
        ir::standard_ops(), "rule r { (concat{axis=0} ?x ?y) => (concat{axis=0} ?x ?y); if " + expr + "; }",
        "test.rules");
    std::vector<TensorFacts> tensors(2);
    tensors[0].type = ir::parse_type(ctx, ir::with_sizes(x_, values));
    tensors[1].type = ir::parse_type(ctx, ir::with_sizes(y_, values));
    return evaluate(set.rules[0].conditions[0], {ctx, {}, tensors, {}});
  }
  /// "yes", "no", "open"; and no other answer at numbers.
  std::string decide(const std::string& expr) {
    const auto word = [](const std::optional<ir::AttrValue>& v) {
      return !v ? "open" : std::get<int64_t>(*v) != 0 ? "yes" : "no";
    };
    const std::string named = word(value(expr, {}));
    for (int64_t n = 0; n < 6; ++n)
      for (int64_t m = 0; m < 6; ++m) {
        const std::string plain = word(value(expr, {{"N", n}, {"M", m}}));
        if (named == "open") continue;
        EXPECT_EQ(plain, named) << expr << " at N=" << n << " M=" << m;
      }
    return named;
  }

  ir::Context ctx{ir::standard_ops()};
  std::string x_ = "f32[N,M,6]", y_ = "f32[M,2*N,3]";
};

TEST_F(RuleExpr, NamedSizesAreDecidedForEverySize) {
  for (const char* yes :
       {"elements(?x) == elements(?y)", "dim(?x,0) + dim(?x,0) == dim(?y,1)", "dim(?y,1) % 2 == 0",
        "dim(?x,0) + 1 > dim(?x,0)", "dim(?x,0) * dim(?x,1) >= 0", "dim(?y,1) / 2 == dim(?x,0)",
        "min(dim(?x,0), dim(?y,1)) == dim(?x,0)", "2 * dim(?x,0) + 1 != 4", "rank(?x) == 3",
        "product(shape(?x)) == elements(?y)", "clamp(-1, dim(?x,0)) <= dim(?x,0)",
        "at(shape(?y), 1) == sum([dim(?x,0), dim(?x,0)])", "dim(?x,0) < dim(?x,0) + dim(?x,1) + 1",
        "keeps_order(shape(?x), [0,1,2])", "[dim(?x,0), 2] == [dim(?x,0), 2]"})
    EXPECT_EQ(decide(yes), "yes") << yes;
  for (const char* no : {"dim(?x,0) == dim(?x,0) + 1", "dim(?x,0) < 0", "dim(?y,1) == 3",
                         "same_shape(?x, ?y)", "dim(?x,2) == dim(?y,2)", "[dim(?x,0), 2] == [dim(?x,0), 3]"})
    EXPECT_EQ(decide(no), "no") << no;
}

TEST_F(RuleExpr, WhatSizesDecideDoesNotHold) {
  for (const char* open :
       {"dim(?x,0) == dim(?x,1)", "dim(?x,0) != dim(?x,1)", "dim(?x,0) != 1", "dim(?x,0) > 0",
        "!(dim(?x,0) == 1)", "dim(?x,0) % 2 == 0", "dim(?x,0) / 2 == 1", "elements(?x) / dim(?x,0) == 6",
        "keeps_order(shape(?x), [1,0,2])", "dim(?x,1) - dim(?x,0) < 3", "dim(?x,0) < 2147483647 * 0 + 9"})
    EXPECT_EQ(decide(open), "open") << open;
  y_ = "f32[M,N,6]";
  EXPECT_EQ(decide("same_shape(?x, ?y)"), "open");
  EXPECT_EQ(decide("same_type(?x, ?y)"), "open");
  EXPECT_EQ(decide("!same_type(?x, ?y)"), "open");
}

TEST_F(RuleExpr, WhatIsOpenStaysOpenWithinAWhole) {
  for (const char* open :
       {"!(rank(?x) == 3 && dim(?x,0) == 1)", "!(dim(?x,0) == 1 || rank(?x) == 2)",
        "dim(?x,0) == 1 || dim(?x,1) == 1", "dim(?x,0) == 1.0", "!(dim(?x,0) == 2.0)", "dim(?x,0) != 2.0",
        "(dim(?x,0) == 1 && dim(?x,1) == 1) == (rank(?x) == 2)", "[dim(?x,0)] == dim(?x,0)"})
    EXPECT_EQ(decide(open), "open") << open;
  for (const char* yes : {"!(dim(?x,0) == 1 && rank(?x) == 2)", "dim(?x,0) == 1 || rank(?x) == 3",
                          "rank(?x) == 3 || at([1], 7) == 1", "!(rank(?x) == 2 && dim(?x,7) == 1)"})
    EXPECT_EQ(decide(yes), "yes") << yes;
  for (const char* no : {"dim(?x,0) == 1 && rank(?x) == 2", "!(dim(?x,0) == 1 || rank(?x) == 3)"})
    EXPECT_EQ(decide(no), "no") << no;
}

// A formula that is too long to be spelled as a dimension is still that formula.
TEST_F(RuleExpr, LongNamesAreSizesLikeOthers) {
  const std::string a(60, 'a'), b(60, 'b');
  x_ = "f32[" + a + "," + b + ",6]";
  y_ = "f32[" + b + "," + a + ",6]";
  const auto word = [&](const std::string& expr) {
    const auto v = value(expr, {});
    return !v ? "open" : std::get<int64_t>(*v) != 0 ? "yes" : "no";
  };
  for (const char* open : {"dim(?x,0) - dim(?x,1) >= 0", "!(dim(?x,0) - dim(?x,1) < 0)",
                           "dim(?x,0) * dim(?x,0) - dim(?x,1) * dim(?x,1) >= 0"})
    EXPECT_STREQ(word(open), "open") << open;
  for (const char* yes : {"elements(?x) == elements(?y)", "elements(?x) == 6 * dim(?x,0) * dim(?y,0)",
                          "dim(?x,0) * dim(?x,1) >= 0"})
    EXPECT_STREQ(word(yes), "yes") << yes;
  EXPECT_EQ(value("[dim(?x,0) * dim(?x,1)]", {}), std::nullopt) << "a list is of dimensions";
}

TEST_F(RuleExpr, ListsAreComputedElementByElement) {
  for (const char* yes :
       {"[1,2,3] + [4,5,6] == [5,7,9]", "[1,2] - 3 == [1 - 3, 2 - 3]", "2 * [1,2] == [2,4]",
        "[4,6] / 2 == [2,3]", "[5,6] % [3,4] == [2,2]", "min([1,5], [2,3]) == [1,3]",
        "max([1,5], 2) == [2,5]", "[1,1] == 1", "[1,2] != 1", "[1,2] < [2,3]", "[1,2] >= 1", "iota(0) > 7",
        "marks([2,0], 3) == [1,0,1]", "places([0,1,0,2]) == [1,3]", "at([7,8,9], [2,0]) == [9,7]",
        "join([1] - 2, [3]) == [1 - 2, 3]", "replace([1,2], 0, 0 - 5) == [0 - 5, 2]"})
    EXPECT_EQ(decide(yes), "yes") << yes;
  for (const char* no : {"[1,2] == 1", "[1,1] != 1", "[1,2] < [2,2]", "[1,2] > 1"})
    EXPECT_EQ(decide(no), "no") << no;
  for (const char* open : {"[1,2] + [1,2,3] == 3", "[1,2] / 2 == 1", "at([7], [1]) == [7]",
                           "marks([3], 3) == [1]", "shape(?x) + 1 == [2,3,7]"})
    EXPECT_EQ(decide(open), "open") << open;
  x_ = "i8[2]";
  EXPECT_EQ(decide("lowest(?x) == 0 - 128 && highest(?x) == 127"), "yes");
  x_ = "u16[2]";
  EXPECT_EQ(decide("lowest(?x) == 0 && highest(?x) == 65535"), "yes");
  x_ = "bool[2]";
  EXPECT_EQ(decide("lowest(?x) == 0 && highest(?x) == 1"), "yes");
  for (const char* wide : {"i64[2]", "u64[2]"}) {  // a double is not exact near these ends
    x_ = wide;
    EXPECT_EQ(decide("highest(?x) > 0"), "open") << wide;
    EXPECT_EQ(decide("lowest(?x) <= 0"), "open") << wide;
  }
  x_ = "f32[2]";
  EXPECT_EQ(value("lowest(?x)", {}), ir::AttrValue(-HUGE_VAL));
  EXPECT_EQ(value("highest(?x)", {}), ir::AttrValue(HUGE_VAL));
}

TEST_F(RuleExpr, SizesBeyondWhatIsHeldHaveNoValue) {
  EXPECT_EQ(decide("dim(?y,1) * 4611686018427387904 >= 0"), "open");
  EXPECT_EQ(decide("dim(?y,1) * 4611686018427387903 * 4 >= 0"), "open");
}

}  // namespace
}  // namespace isomer::rewrite
