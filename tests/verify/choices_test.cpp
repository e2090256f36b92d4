// What is proved of programs that compare, choose, cut numbers to integers, and take maxima: only what holds
// whichever way a choice goes (eval/random_interpretation.h).
#include <gtest/gtest.h>

#include <string>

#include "ir/op_table.h"
#include "ir/print.h"
#include "verify/equivalence.h"

namespace isomer::verify {
namespace {

class Choices : public testing::Test {
 protected:
  /// Bodies over x and y of type f32[4]; the result is %r.
  Verdict check(const std::string& a, const std::string& b) {
    const auto program = [&](const std::string& body) {
      return ir::parse_graph(ctx_, R"(graph { %x = input{name="x"} : f32[4] %y = input{name="y"} : f32[4] )" +
                                       body + " return %r }");
    };
    return check_equivalent(program(a), program(b));
  }
  void proves(const std::string& a, const std::string& b) {
    const Verdict v = check(a, b);
    EXPECT_EQ(v.kind, VerdictKind::kProved) << a << "\n" << b << "\n" << summary(v);
  }
  /// They differ where few inputs are: draws do not show it, and the order of a field does not.
  void proves_nothing(const std::string& a, const std::string& b) {
    const Verdict v = check(a, b);
    EXPECT_EQ(v.kind, VerdictKind::kSampled) << a << "\n" << b << "\n" << summary(v);
  }

 private:
  ir::Context ctx_{ir::standard_ops()};
};

const std::string kSame = "%r = add(%x, %y) : f32[4]";

/// A value of one number, as %NAME.
std::string splat(const std::string& name, const std::string& type, const std::string& value) {
  return "%" + name + "_one = constant : " + type + "[] {" + value + "} %" + name +
         " = broadcast{shape=[4]}(%" + name + "_one) : " + type + "[4] ";
}

/// %q: twelve numbers of x and y are all above others. %s: x + y.
std::string rare() {
  std::string out = "%s = add(%x, %y) : f32[4] ", last;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i), at = splat("k" + n, "f32", std::to_string(100 + 7 * i));
    out += at + "%q" + n + " = less(%k" + n + (i % 2 == 0 ? ", %x" : ", %y") + ") : bool[4] ";
    if (i > 0) out += "%a" + n + " = and(" + last + ", %q" + n + ") : bool[4] ";
    last = i == 0 ? "%q0" : "%a" + n;
  }
  return out + "%q = and(" + last + ", " + last + ") : bool[4] ";
}

// As TOTALORDER of HLO is said.
TEST_F(Choices, TheSignOfAZero) {
  const std::string less = "%l = less(%x, %y) : bool[4] ";
  const std::string total =
      less +
      "%u = reciprocal(%x) : f32[4] %v = reciprocal(%y) : f32[4] %s = less(%u, %v) : bool[4] "
      "%e = equal(%x, %y) : bool[4] %z = and(%e, %s) : bool[4] %r = or(%l, %z) : bool[4]";
  const Verdict v = check(total, less + "%r = or(%l, %l) : bool[4]");
  EXPECT_TRUE(v.kind == VerdictKind::kSampled || v.kind == VerdictKind::kRefuted) << summary(v);
  EXPECT_NE(v.on_field, OnField::kSame);
  proves_nothing("%z = sub(%x, %x) : f32[4] %a = add(%x, %z) : f32[4] %r = bit_cast{to=u32}(%a) : u32[4]",
                 "%r = bit_cast{to=u32}(%x) : u32[4]");
}

TEST_F(Choices, OneNumberOfAnInteger) {
  const std::string cut = splat("k", "i64", "4711") + "%i = cast{to=i64}(%x) : i64[4] ";
  proves_nothing(
      cut + "%q = equal(%i, %k) : bool[4] %s = add(%x, %y) : f32[4] %r = where(%q, %y, %s) : f32[4]", kSame);
  // By arithmetic on it instead of a comparison.
  const std::string ways = rare() +
                           "%i = cast{to=i64}(%x) : i64[4] %a = abs(%i) : i64[4] %f = cast{to=f32}(%a) : "
                           "f32[4] %g = cast{to=f32}(%i) : f32[4] ";
  proves_nothing(ways + "%r = where(%q, %f, %g) : f32[4]",
                 "%i = cast{to=i64}(%x) : i64[4] %r = cast{to=f32}(%i) : f32[4]");
}

TEST_F(Choices, OneConditionAndSeveralAtOnce) {
  proves_nothing(rare() + "%r = where(%q, %x, %s) : f32[4]", kSame);
}

TEST_F(Choices, WhereAMaximumOrASignIsTheOnlyDifference) {
  proves_nothing(
      rare() + "%m = max(%x, %y) : f32[4] %w = where(%q, %m, %x) : f32[4] %r = add(%w, %y) : f32[4]", kSame);
  proves_nothing(rare() + "%m = abs(%x) : f32[4] %w = where(%q, %m, %x) : f32[4] %r = add(%w, %y) : f32[4]",
                 kSame);
}

TEST_F(Choices, WhereIntegersOfOneWidthWrapAndOthersDoNot) {
  const auto twice = [](const std::string& type) {
    return rare() + splat("k", type, "1073741824") + "%w = cast{to=" + type + "}(%q) : " + type +
           "[4] %b = mul(%w, %k) : " + type + "[4] %t = add(%b, %b) : " + type +
           "[4] %f = cast{to=f32}(%t) : f32[4] %r = add(%f, %s) : f32[4]";
  };
  proves_nothing(twice("i32"), twice("i64"));
}

TEST_F(Choices, WhereAChoiceIsInfiniteOrNoNumber) {
  const std::string chosen = rare() + splat("i", "f32", "-inf") + splat("three", "f32", "3");
  proves_nothing(chosen +
                     "%m = where(%q, %i, %three) : f32[4] %e = equal(%m, %i) : bool[4] "
                     "%r = where(%e, %x, %s) : f32[4]",
                 kSame);
  proves_nothing(rare() + splat("n", "f32", "nan") +
                     "%m = max(%x, %n) : f32[4] %w = where(%q, %m, %x) : f32[4] %r = add(%w, %y) : f32[4]",
                 kSame);
  proves_nothing(splat("k", "f32", "3") + splat("c", "f32", "222222") +
                     "%p = mul(%x, %k) : f32[4] %d = sub(%p, %c) : f32[4] %v = div(%k, %d) : f32[4] "
                     "%e = is_inf(%v) : bool[4] %s = add(%x, %y) : f32[4] %r = where(%e, %x, %s) : f32[4]",
                 kSame);
}

TEST_F(Choices, WhereAChoiceIsDividedBy) {
  proves_nothing(rare() + splat("k", "f32", "0") + splat("one", "f32", "1") +
                     "%w = where(%q, %k, %one) : f32[4] %p = mul(%s, %w) : f32[4] %r = div(%p, %w) : f32[4]",
                 kSame);
  // By the same in both: they are not numbers at the same inputs.
  const std::string same = "%m = relu(%x) : f32[4] %v = div(%y, %m) : f32[4] ";
  proves(same + "%r = add(%v, %x) : f32[4]", same + "%r = add(%x, %v) : f32[4]");
  // By sums of exponentials, which are above 0 whatever was chosen.
  const std::string m = "%m = max(%x, %y) : f32[4] ";
  proves(m + "%e = exp(%m) : f32[4] %r = div(%y, %e) : f32[4]",
         m + "%n = neg(%m) : f32[4] %e = exp(%n) : f32[4] %r = mul(%y, %e) : f32[4]");
}

TEST_F(Choices, WhatHoldsWhicheverWayTheyGo) {
  const std::string z = splat("z", "f32", "0");
  proves("%a = relu(%x) : f32[4] %b = relu(%a) : f32[4] %r = add(%b, %y) : f32[4]",
         z + "%a = max(%z, %x) : f32[4] %r = add(%y, %a) : f32[4]");
  const std::string leaky = "%a = leaky_relu{alpha=0.25}(%x) : f32[4] ";
  proves(leaky + "%r = mul(%a, %y) : f32[4]",
         leaky +
             "%b = add(%y, %y) : f32[4] %h0 = constant : f32[] {0.5} "
             "%h = broadcast{shape=[4]}(%h0) : f32[4] %c = mul(%a, %b) : f32[4] %r = mul(%c, %h) : f32[4]");
  // A factor goes into both branches, and conditions may be negated.
  proves(
      "%q = less(%x, %y) : bool[4] %s = add(%x, %y) : f32[4] %w = where(%q, %s, %x) : f32[4] "
      "%r = mul(%w, %y) : f32[4]",
      "%n = less_equal(%y, %x) : bool[4] %a = mul(%x, %y) : f32[4] %b = mul(%y, %y) : "
      "f32[4] "
      "%c = add(%a, %b) : f32[4] %r = where(%n, %a, %c) : f32[4]");
  // What was cut is moved and chosen, and nothing is computed with it.
  proves(
      "%i = cast{to=i64}(%x) : i64[4] %f = cast{to=f32}(%i) : f32[4] %a = add(%f, %y) : f32[4] "
      "%r = mul(%a, %y) : f32[4]",
      "%i = cast{to=i64}(%x) : i64[4] %f = cast{to=f32}(%i) : f32[4] %a = mul(%f, %y) : f32[4] "
      "%b = mul(%y, %y) : f32[4] %r = add(%a, %b) : f32[4]");
}

TEST_F(Choices, MaximaOfMany) {
  const std::string x = "%t = concat{axis=0}(%x, %y) : f32[8] ";
  proves(x + "%m = reduce_max{axes=[0], keepdims=1}(%t) : f32[1] %r = broadcast{shape=[4]}(%m) : f32[4]",
         "%a = max(%x, %y) : f32[4] %m = reduce_max{axes=[0], keepdims=1}(%a) : f32[1] "
         "%r = broadcast{shape=[4]}(%m) : f32[4]");
}

TEST_F(Choices, APlaceThatIsNotKnownIsNoProof) {
  const auto at = [&](const std::string& product) {
    return splat("k", "f32", "0.001") + "%a = mul(" + product +
           ") : f32[4] %i = cast{to=i64}(%a) : i64[4] %r = gather{axis=0}(%y, %i) : f32[4]";
  };
  const Verdict v = check(at("%x, %k"), at("%k, %x"));
  EXPECT_EQ(v.kind, VerdictKind::kUnknown) << summary(v);
}

}  // namespace
}  // namespace isomer::verify
