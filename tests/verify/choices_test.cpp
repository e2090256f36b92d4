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
  /// What else it may be: they differ where few inputs are.
  void proves_nothing(const std::string& a, const std::string& b) {
    const Verdict v = check(a, b);
    EXPECT_NE(v.kind, VerdictKind::kProved) << a << "\n" << b << "\n" << summary(v);
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

TEST_F(Choices, OneNumberOfAnInteger) {
  const std::string cut = splat("k", "i64", "4711") + "%i = cast{to=i64}(%x) : i64[4] ";
  proves_nothing(
      cut + "%q = equal(%i, %k) : bool[4] %s = add(%x, %y) : f32[4] %r = where(%q, %y, %s) : f32[4]", kSame);
  // By arithmetic on it instead of a comparison.
  proves_nothing("%i = cast{to=i64}(%x) : i64[4] %a = abs(%i) : i64[4] %r = cast{to=f32}(%a) : f32[4]",
                 "%i = cast{to=i64}(%x) : i64[4] %r = cast{to=f32}(%i) : f32[4]");
}

TEST_F(Choices, OneConditionAndSeveralAtOnce) {
  const std::string one = splat("k", "f32", "100") + "%q = less(%k, %x) : bool[4] %s = add(%x, %y) : f32[4] ";
  proves_nothing(one + "%r = where(%q, %k, %s) : f32[4]", kSame);
  std::string many = "%s = add(%x, %y) : f32[4] ", last;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i), at = splat("k" + n, "f32", std::to_string(100 + 7 * i));
    many += at + "%q" + n + " = less(%k" + n + (i % 2 == 0 ? ", %x" : ", %y") + ") : bool[4] ";
    if (i > 0) many += "%a" + n + " = and(" + last + ", %q" + n + ") : bool[4] ";
    last = i == 0 ? "%q0" : "%a" + n;
  }
  proves_nothing(many + "%r = where(" + last + ", %x, %s) : f32[4]", kSame);
}

TEST_F(Choices, WhereMaximaAndSignsAreTheOnlyDifference) {
  // All of twelve numbers below another one: a random order hardly ever shows it.
  std::string below = splat("z", "f32", "0") + "%m0 = add(%x, %y) : f32[4] ";
  std::string sum = "%p0 = abs(%x) : f32[4] %d0 = sub(%p0, %x) : f32[4] ";
  for (int i = 1; i < 12; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    sum += splat("c" + n, "f32", std::to_string(i)) + "%x" + n + " = sub(%x, %c" + n + ") : f32[4] %p" + n +
           " = abs(%x" + n + ") : f32[4] %e" + n + " = sub(%p" + n + ", %x" + n + ") : f32[4] %d" + n +
           " = mul(%d" + before + ", %e" + n + ") : f32[4] ";
  }
  proves_nothing(sum + "%r = add(%d11, %y) : f32[4]", "%z = sub(%x, %x) : f32[4] %r = add(%z, %y) : f32[4]");
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
  proves_nothing(at("%x, %k"), at("%k, %x"));
}

}  // namespace
}  // namespace isomer::verify
