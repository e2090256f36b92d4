// The table of scalar operators: each has a row, and others can be added.
#include "ir/scalar_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "support/errors.h"

namespace isomer::ir {
namespace {

ScalarRow cube_named(const char* name) {
  return {.name = name,
          .operands = 1,
          .of_one = [](double x) { return x * x * x; },
          .flops = 2,
          .arbitrary = "cubes",
          .outside_lax = "a cube",
          .code = CodeForm::none()};
}

TEST(ScalarTable, EveryOperatorHasARowOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i < scalar_op_count(); ++i) {
    const ScalarRow& r = row(static_cast<ScalarOp>(i));
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_EQ(r.sorts == Sorts::kLeaf, r.operands == 0) << r.name;
    const bool computed = r.sorts == Sorts::kNumbers;
    if (!computed) continue;
    EXPECT_EQ(r.of_one != nullptr, r.operands == 1) << r.name;
    EXPECT_EQ(r.of_two != nullptr, r.operands == 2) << r.name;
    EXPECT_FALSE(r.arbitrary->empty()) << r.name << ": a proof would not say what it rests on";
    EXPECT_GT(r.flops, 0) << r.name;
  }
}

TEST(ScalarTable, SaysWhoseOperandsMayChangePlaces) {
  for (int i = 0; i < scalar_op_count(); ++i) {
    const ScalarRow& r = row(static_cast<ScalarOp>(i));
    EXPECT_TRUE(!r.commutes || r.operands == 2) << r.name;
    if (r.of_two == nullptr) continue;
    EXPECT_EQ(r.commutes, r.of_two(3, 2) == r.of_two(2, 3)) << r.name;
  }
  EXPECT_TRUE(row(ScalarOp::kEqual).commutes && row(ScalarOp::kXor).commutes);
  EXPECT_FALSE(row(ScalarOp::kLess).commutes || row(ScalarOp::kShiftLeft).commutes);
}

TEST(ScalarTable, TakesAFurtherFunction) {
  const ScalarOp cube = add_scalar_op(cube_named("test_cube"));
  EXPECT_EQ(row(cube).name, "test_cube");
  EXPECT_EQ(operand_count(cube), 1);
  EXPECT_EQ(*row(cube).arbitrary, "cubes");
  EXPECT_EQ(*row(cube).outside_lax, "a cube");
}

TEST(ScalarTable, RefusesARowThatDoesNotSayEnough) {
  EXPECT_THROW(add_scalar_op(cube_named("exp")), MisuseError);
  const auto refused = [](const std::function<void(ScalarRow&)>& spoil) {
    ScalarRow r = cube_named("test_spoilt");
    spoil(r);
    EXPECT_THROW(add_scalar_op(r), MisuseError);
  };
  refused([](ScalarRow& r) { r.of_one = nullptr; });
  refused([](ScalarRow& r) { r.operands = 3; });
  refused([](ScalarRow& r) { r.arbitrary = kExactInField; });
  refused([](ScalarRow& r) { r.outside_lax = kInsideLax; });
  refused([](ScalarRow& r) { r.code = CodeForm::generator(); });
  refused([](ScalarRow& r) { r.code = CodeForm::expression({}); });
  refused([](ScalarRow& r) { r.code = CodeForm::expression(scalar::read(1)); });
  refused([](ScalarRow& r) { r.code = CodeForm::expression(scalar::var(0)); });
}

TEST(ScalarTable, RefusesCodeThatYieldsNoNumber) {
  const ScalarExpr x = scalar::read(0), is_one = scalar::apply(ScalarOp::kEqual, x, scalar::number(1));
  const auto add = [](const char* name, const ScalarExpr& code) {
    ScalarRow r = cube_named(name);
    r.code = CodeForm::expression(code);
    add_scalar_op(r);
  };
  for (const ScalarExpr& integer :
       {is_one, -is_one, scalar::integer(1), scalar::apply(ScalarOp::kIsNan, x),
        scalar::apply(ScalarOp::kToInteger, x), scalar::apply(ScalarOp::kNot, is_one),
        scalar::select(is_one, is_one, scalar::integer(0)), -ScalarExpr()})
    EXPECT_THROW(add("test_integer", integer), MisuseError);
  add("test_operand", x);
  add("test_chosen", scalar::select(is_one, x, -(x * x)));
  add("test_from_integer", scalar::apply(ScalarOp::kToNumber, is_one));
}

// What would claim something has no default: rows that leave out one of the four do not compile.
template <class Row>
concept Full = requires {
  Row{.name = "f", .operands = 1, .flops = 1, .arbitrary = "f", .outside_lax = "f", .code = CodeForm::none()};
};
template <class Row>
concept FilledWithoutFlops = requires {
  Row{.name = "f", .operands = 1, .arbitrary = "f", .outside_lax = "f", .code = CodeForm::none()};
};
template <class Row>
concept FilledWithoutArbitrary =
    requires { Row{.name = "f", .operands = 1, .flops = 1, .outside_lax = "f", .code = CodeForm::none()}; };
template <class Row>
concept FilledWithoutLax =
    requires { Row{.name = "f", .operands = 1, .flops = 1, .arbitrary = "f", .code = CodeForm::none()}; };
template <class Row>
concept FilledWithoutCode =
    requires { Row{.name = "f", .operands = 1, .flops = 1, .arbitrary = "f", .outside_lax = "f"}; };
static_assert(Full<ScalarRow> && !FilledWithoutFlops<ScalarRow> && !FilledWithoutArbitrary<ScalarRow> &&
              !FilledWithoutLax<ScalarRow> && !FilledWithoutCode<ScalarRow>);

TEST(ScalarTable, RefusesWhatItDoesNotHold) { EXPECT_THROW(row(static_cast<ScalarOp>(200)), MisuseError); }

}  // namespace
}  // namespace isomer::ir
