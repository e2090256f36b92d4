// What float16 makes of programs that are equal in exact arithmetic.
#include "verify/rounded.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::verify {
namespace {

/// Of two programs of these inputs.
Rounding of(const std::string& inputs, const std::string& a, const std::string& b) {
  ir::Context ctx(ir::standard_ops());
  const auto graph = [&](const std::string& body) {
    return ir::parse_graph(ctx, "graph { " + inputs + " " + body + " return %y }");
  };
  return when_rounded(graph(a), graph(b));
}

std::string difference(std::string a, std::string b, const std::string& type = "f16") {
  std::string inputs = "%x = input{name=\"x\"} : T[2] %k = input{name=\"k\"} : T[2]";
  for (std::string* text : {&a, &b, &inputs})
    for (size_t at = text->find("T["); at != std::string::npos; at = text->find("T[", at))
      text->replace(at, 1, type);
  return of(inputs, a, b).different;
}

const char* const kOutward = "%a = mul(%x, %x) : T[2] %y = mul(%a, %k) : T[2]";
const char* const kInward = "%a = mul(%x, %k) : T[2] %y = mul(%a, %x) : T[2]";

TEST(Rounded, AnOrderThatOverflows) {
  EXPECT_FALSE(difference(kInward, kOutward).empty());
  EXPECT_EQ(difference(kInward, kInward), "");
}

TEST(Rounded, WiderTypesAreNotLookedAt) { EXPECT_EQ(difference(kInward, kOutward, "f32"), ""); }

TEST(Rounded, RoundingAloneIsNoDifference) {
  EXPECT_EQ(difference("%a = add(%x, %k) : T[2] %y = add(%a, %x) : T[2]",
                       "%a = add(%x, %x) : T[2] %y = add(%a, %k) : T[2]"),
            "");
}

const char* const kHalf = "%x = input{name=\"x\"} : f16[4]";
const char* const kRoot = "%a = mul(%x, %x) : f16[4] %y = sqrt(%a) : f16[4]";
const char* const kSize = "%y = abs(%x) : f16[4]";

TEST(Rounded, ASquareThatOverflows) {
  EXPECT_NE(of(kHalf, kSize, kRoot).different, "");
  const Rounding other_way = of(kHalf, kRoot, kSize);
  EXPECT_EQ(other_way.different, "");
  EXPECT_NE(other_way.first_overflows, "");
}

TEST(Rounded, ACastThatOverflowsIsMeant) {
  const char* const kSingle = "%x = input{name=\"x\"} : f32[4]";
  const auto through = [](const std::string& type) {
    return "%a = cast{to=" + type + "}(%x) : " + type + "[4] %y = cast{to=f32}(%a) : f32[4]";
  };
  EXPECT_NE(of(kSingle, through("f16"), through("bf16")).different, "");
  EXPECT_NE(of(kSingle, through("bf16"), through("f16")).different, "");
  EXPECT_EQ(of(kSingle, through("f16"),
               "%c = cast{to=f16}(%x) : f16[4] %n = neg(%c) : f16[4] %w = "
               "cast{to=f32}(%n) : f32[4] %y = neg(%w) : f32[4]")
                .different,
            "");
}

TEST(Rounded, AScaleThatOverflowsAndIsTakenBack) {
  const char* const kScaled =
      "%c = constant : f16[] {100} %k = broadcast{shape=[4]}(%c) : f16[4] %a = mul(%x, %k) : f16[4] "
      "%y = div(%a, %k) : f16[4]";
  EXPECT_NE(of(kHalf, "%y = add(%x, %x) : f16[4]", kScaled).different, "");
  EXPECT_NE(of(kHalf, kScaled, "%y = neg(%x) : f16[4]").different, "");
  EXPECT_NE(of(kHalf, kScaled, "%n = neg(%x) : f16[4] %y = neg(%n) : f16[4]").first_overflows, "");
}

TEST(Rounded, AnOverflowThatEndsInAFiniteNumber) {
  const char* const kSquared = "%a = mul(%x, %x) : f16[4] %y = div(%x, %a) : f16[4]";
  const char* const kTwice = "%a = div(%x, %x) : f16[4] %y = div(%a, %x) : f16[4]";
  EXPECT_NE(of(kHalf, kTwice, kSquared).different, "");  // 1/300 against 0
  EXPECT_NE(of(kHalf, kSquared, kTwice).first_overflows, "");
}

TEST(Rounded, BytesWhoseSumOverflows) {
  const char* const kBytes = "%x = input{name=\"x\"} : u8[300]";
  const auto sum = [](const std::string& type) {
    return "%a = cast{to=" + type + "}(%x) : " + type +
           "[300] %s = reduce_sum{axes=[0], keepdims=1}(%a) : " + type + "[1] %y = cast{to=f32}(%s) : f32[1]";
  };
  EXPECT_NE(of(kBytes, sum("f32"), sum("f16")).different, "");
  EXPECT_EQ(of(kBytes, sum("f16"), sum("f16")).different, "");
}

/// What is inside an operator is not rounded.
TEST(Rounded, OperatorsAreRoundedAsAWhole) {
  const char* const kRow = "%x = input{name=\"x\"} : f16[1, 300]";
  const char* const kMean = "%y = reduce_mean{axes=[1], keepdims=1}(%x) : f16[1, 1]";
  const char* const kScaled =
      "%k = constant : f16[] {1} %b = broadcast{shape=[1,300]}(%k) : f16[1, 300] %a = mul(%x, %b) : f16[1, "
      "300] "
      "%y = reduce_mean{axes=[1], keepdims=1}(%a) : f16[1, 1]";
  const Rounding same = of(kRow, kMean, kScaled);
  EXPECT_EQ(same.different + same.first_overflows, "");
  const char* const kSum =
      "%s = reduce_sum{axes=[1], keepdims=1}(%x) : f16[1, 1] %n = constant : f16[] {300} "
      "%b = broadcast{shape=[1,1]}(%n) : f16[1, 1] %y = div(%s, %b) : f16[1, 1]";
  EXPECT_NE(of(kRow, kMean, kSum).different, "");
}

const char* const kSingles = "%x = input{name=\"x\"} : f32[4] %z = input{name=\"z\"} : f32[4]";

TEST(Rounded, WhatIsComparedAfterACast) {
  const auto cast_then = [](const std::string& type, const std::string& how) {
    return "%a = cast{to=" + type + "}(%x) : " + type + "[4] %b = cast{to=" + type + "}(%z) : " + type +
           "[4] %y = " + how + "(%a, %b) : bool[4]";
  };
  for (const std::string how : {"equal", "less"})
    for (const std::string type : {"f16", "bf16"}) {
      const std::string bare = "%y = " + how + "(%x, %z) : bool[4]";
      EXPECT_NE(of(kSingles, cast_then(type, how), bare).different, "") << how << " " << type;
      EXPECT_NE(of(kSingles, bare, cast_then(type, how)).different, "") << how << " " << type;
      EXPECT_EQ(of(kSingles, cast_then(type, how), cast_then(type, how)).different, "") << how << " " << type;
    }
}

TEST(Rounded, AThresholdAfterACast) {
  const char* const kLimit = "%c = constant : f32[] {3.25} %k = broadcast{shape=[4]}(%c) : f32[4] ";
  const std::string half =
      "%a = cast{to=f16}(%x) : f16[4] %b = cast{to=f32}(%a) : f32[4] %y = less(%b, %k) : bool[4]";
  EXPECT_NE(of(kSingles, kLimit + half, kLimit + std::string("%y = less(%x, %k) : bool[4]")).different, "");
}

/// Sums in another order round otherwise: a comparison of them tells nothing.
TEST(Rounded, WhatIsComparedAfterASum) {
  const auto summed = [](const char* first, const char* second) {
    return std::string("%p = cast{to=f16}(%x) : f16[4] %q = cast{to=f16}(%z) : f16[4] %a = add(") + first +
           ") : f16[4] %b = add(" + second + ") : f16[4] %y = less(%b, %q) : bool[4]";
  };
  EXPECT_EQ(of(kSingles, summed("%p, %q", "%a, %p"), summed("%p, %p", "%a, %q")).different, "");
}

}  // namespace
}  // namespace isomer::verify
