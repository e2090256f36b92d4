// Rules of bytes and of wider integers that hold at all values but one, or but a few.
#include "verify/every_value.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "verify/pointwise.h"

namespace isomer::verify {
namespace {

class EveryValueTest : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  ir::Graph program(const std::string& type, const std::string& body) {
    return ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : " + type +
                                    " %y = input{name=\"y\"} : " + type + " " + body + " return %r }");
  }
  EveryValue compared(const std::string& type, const std::string& a, const std::string& b) {
    return compare_every_value(program(type, a), program(type, b));
  }
};

TEST_F(EveryValueTest, AllPairsOfBytesAreMet) {
  const EveryValue same = compared("i8[256]", "%r = add(%x, %y) : i8[256]", "%r = add(%y, %x) : i8[256]");
  EXPECT_EQ(same.compared, 65536);
  EXPECT_EQ(same.difference, "");
}

TEST_F(EveryValueTest, OfOneInputEachValueIsMetOnce) {
  const auto of_one = [&](const std::string& type, const std::string& body) {
    return ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : " + type + " " + body + " return %r }");
  };
  const ir::Graph bytes = of_one("i8[256]", "%r = neg(%x) : i8[256]");
  EXPECT_EQ(compare_every_value(bytes, bytes).compared, 256);
  const EveryValue seen = compare_every_value(
      bytes, of_one("i8[256]",
                    "%a = abs(%x) : i8[256] %s = sign(%x) : i8[256] %p = mul(%a, %s) : i8[256] "
                    "%z = sub(%x, %x) : i8[256] %r = sub(%z, %p) : i8[256]"));
  EXPECT_EQ(seen.difference, "");
  const ir::Graph words = of_one("i16[256]", "%r = neg(%x) : i16[256]");
  EXPECT_GE(compare_every_value(words, words).compared, 65536) << "all of 16 bits";
}

TEST_F(EveryValueTest, WhatAClipLeavesOfWideOnesIsMet) {
  // 2341 by 2^14 is a seventh up to 5465.
  const auto apart = [&](const std::string& highest) {
    const auto graph = [&](const std::string& body) {
      return ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : u32[256] %c = clip{min=0, max=" +
                                      highest + "}(%x) : u32[256] " + body + " return %r }");
    };
    const auto number = [](const std::string& name, int value) {
      return "%" + name + "1 = constant : u32[] {" + std::to_string(value) + "} %" + name +
             " = broadcast{shape=[256]}(%" + name + "1) : u32[256] ";
    };
    return compare_every_value(
               graph(number("k", 7) + "%r = div(%c, %k) : u32[256]"),
               graph(number("m", 2341) + number("s", 14) +
                     "%p = mul(%c, %m) : u32[256] %r = bit_shift{direction=\"RIGHT\"}(%p, %s) : u32[256]"))
        .difference;
  };
  EXPECT_EQ(apart("5465"), "");
  EXPECT_NE(apart("5470").find("5466"), std::string::npos) << apart("5470");
}

TEST_F(EveryValueTest, ASingleNumberMeetsAllThatAClipLeavesOfIt) {
  const auto graph = [&](const std::string& body) {
    return ir::parse_graph(ctx,
                           "graph { %x = input{name=\"x\"} : u32[256] %c = input{name=\"c\"} : u32[] "
                           "%l = clip{min=0, max=5470}(%c) : u32[] " +
                               body +
                               " %b = broadcast{shape=[256]}(%q) : u32[256] "
                               "%r = add(%x, %b) : u32[256] return %r }");
  };
  const EveryValue seen = compare_every_value(
      graph("%k = constant : u32[] {7} %q = div(%l, %k) : u32[]"),
      graph("%m = constant : u32[] {2341} %s = constant : u32[] {14} %p = mul(%l, %m) : u32[] "
            "%q = bit_shift{direction=\"RIGHT\"}(%p, %s) : u32[]"));
  EXPECT_NE(seen.difference.find("5466"), std::string::npos) << seen.difference;
}

TEST_F(EveryValueTest, AllCombinationsOfFewNumbersAreMet) {
  const std::string bits = "%x = input{name=\"x\"} : bool[256] %y = input{name=\"y\"} : bool[256] ";
  const auto combined = [&](const std::string& more, const std::string& a, const std::string& b) {
    const auto graph = [&](const std::string& body) {
      return ir::parse_graph(ctx, "graph { " + bits + more + body + " return %r }");
    };
    return compare_every_value(graph(a), graph(b));
  };
  const std::string none = "%r = xor(%x, %x) : bool[256]";
  const std::string third = "%z = input{name=\"z\"} : bool[256] ";
  const std::string all = "%a = and(%x, %y) : bool[256] %r = and(%a, %z) : bool[256]";
  EXPECT_NE(combined(third, all, none).difference, "");
  const std::string single = "%s = input{name=\"s\"} : bool[] %z = broadcast{shape=[256]}(%s) : bool[256] ";
  EXPECT_NE(combined(single, all, none).difference, "");
  const auto product = [&](const std::string& number) {  // of what is left of wide ones
    return program("i32[256]",
                   "%a = clip{min=0, max=300}(%x) : i32[256] %b = clip{min=0, max=300}(%y) : i32[256] "
                   "%p = mul(%a, %b) : i32[256] %k = constant : i32[] {" +
                       number +
                       "} %t = broadcast{shape=[256]}(%k) : i32[256] %r = equal(%p, %t) : bool[256]");
  };
  constexpr const char *kOfOnePair = "81029", *kOfNone = "90001";  // 271 * 299; a prime
  EXPECT_NE(compare_every_value(product(kOfOnePair), product(kOfNone)).difference, "");
  EXPECT_EQ(compare_every_value(product("90007"), product(kOfNone)).difference, "");
}

TEST_F(EveryValueTest, OfASingleNumberOf16BitsAllAreMet) {
  const auto graph = [&](const std::string& body) {
    return ir::parse_graph(ctx,
                           "graph { %x = input{name=\"x\"} : i16[256] %c = input{name=\"c\"} : i16[] "
                           "%b = broadcast{shape=[256]}(%c) : i16[256] " +
                               body + " : i16[256] return %r }");
  };
  const EveryValue same = compare_every_value(graph("%r = add(%x, %b)"), graph("%r = add(%b, %x)"));
  EXPECT_EQ(same.difference, "");
  EXPECT_GE(same.compared, 65536 * 16) << "each beside others";
  const std::string one_number =
      "%s = add(%b, %x) : i16[256] %k = constant : i16[] {12345} %e = equal(%c, %k) : bool[] "
      "%i = cast{to=i16}(%e) : i16[] %j = broadcast{shape=[256]}(%i) : i16[256] %r = add(%s, %j)";
  const EveryValue seen = compare_every_value(graph("%r = add(%x, %b)"), graph(one_number));
  EXPECT_NE(seen.difference.find("12345"), std::string::npos) << seen.difference;
}

TEST_F(EveryValueTest, OnePairIsEnough) {
  // Only -128 is its own opposite, so that both quotients are negative there.
  const std::string type = "i8[256]";
  const EveryValue seen = compared(type, "%n = neg(%x) : i8[256] %r = div(%n, %y) : i8[256]",
                                   "%q = div(%x, %y) : i8[256] %r = neg(%q) : i8[256]");
  EXPECT_NE(seen.difference.find("-128"), std::string::npos) << seen.difference;
}

TEST_F(EveryValueTest, ASingleNumberMeetsAllValuesOnEitherSide) {
  // A quotient of bytes that is no byte: of -128 by -1 alone.
  const std::string spread = "%b = broadcast{shape=[256]}(%c) : i8[256] ";
  const std::string wide = "%v = cast{to=i32}(%b) : i32[256] %w = cast{to=i32}(%x) : i32[256] ";
  const std::string number = "%c = input{name=\"c\"} : i8[] ", row = "%x = input{name=\"x\"} : i8[256] ";
  const auto apart = [&](const std::string& inputs, const std::string& of, const std::string& of_wide) {
    const auto graph = [&](const std::string& body) {
      return ir::parse_graph(ctx, "graph { " + inputs + spread + body + " return %r }");
    };
    return compare_every_value(graph("%q = div" + of + " : i8[256] %r = cast{to=i32}(%q) : i32[256]"),
                               graph(wide + "%r = div" + of_wide + " : i32[256]"))
        .difference;
  };
  EXPECT_NE(apart(number + row, "(%b, %x)", "(%v, %w)"), "");
  EXPECT_NE(apart(row + number, "(%b, %x)", "(%v, %w)"), "");
  EXPECT_NE(apart(number + row, "(%x, %b)", "(%w, %v)"), "");
  EXPECT_NE(apart("%d = input{name=\"d\"} : i8[] " + number + row, "(%b, %x)", "(%v, %w)"), "");
}

TEST_F(EveryValueTest, WideOnesAtTheirEnds) {
  const EveryValue seen =
      compared("i64[256]", "%a = abs(%x) : i64[256] %r = max(%a, %y) : i64[256]",
               "%n = neg(%x) : i64[256] %m = max(%n, %x) : i64[256] %r = max(%m, %y) : i64[256]");
  EXPECT_EQ(seen.difference, "");
  EXPECT_GT(seen.compared, 65536) << "pairs of small ones, and of those where the type ends";
  const EveryValue apart =
      compared("i64[256]", "%a = sub(%x, %y) : i64[256] %r = sign(%a) : i64[256]",
               "%a = sign(%x) : i64[256] %b = sign(%y) : i64[256] %c = sub(%a, %b) : i64[256] "
               "%r = sign(%c) : i64[256]");
  EXPECT_NE(apart.difference, "");
}

TEST_F(EveryValueTest, WhereTheFirstHasNoValueNothingIsSaid) {
  const EveryValue seen = compared("u8[256]", "%q = div(%x, %y) : u8[256] %r = mul(%q, %y) : u8[256]",
                                   "%m = mod(%x, %y) : u8[256] %r = sub(%x, %m) : u8[256]");
  EXPECT_EQ(seen.difference, "");
  EXPECT_GE(seen.compared, 255 * 256);
}

TEST_F(EveryValueTest, WhatSixteenBitsRoundIsRoundedOnBothSides) {
  const std::string halves = "%a = cast{to=f16}(%x) : f16[256] %b = cast{to=f16}(%y) : f16[256] ";
  const std::string words = "%a = cast{to=i32}(%x) : i32[256] %b = cast{to=i32}(%y) : i32[256] ";
  const std::string product = words + "%p = mul(%a, %b) : i32[256] %h = cast{to=f16}(%p) : f16[256] ";
  const std::string whole = "%r = cast{to=i32}(%h) : i32[256]";  // 229 by 9 is 2060 as a half
  const EveryValue same =
      compared("u8[256]", halves + "%h = mul(%a, %b) : f16[256] " + whole, product + whole);
  EXPECT_EQ(same.compared, 65536);
  EXPECT_EQ(same.difference, "");
  EXPECT_NE(compared("u8[256]", product + whole, words + "%r = mul(%a, %b) : i32[256]").difference, "");
  const std::string apart = halves + "%d = sub(%a, %b) : f16[256] %h = mul(%d, %b) : f16[256] ";
  const std::string distributed =
      halves + "%p = mul(%a, %b) : f16[256] %q = mul(%b, %b) : f16[256] %h = sub(%p, %q) : f16[256] ";
  EXPECT_EQ(compared("u8[256]", apart + whole, distributed + whole).compared, 0)
      << "rounding alone parts them";
}

TEST_F(EveryValueTest, NotOfFloatsOrSums) {
  EXPECT_EQ(compared("f32[256]", "%r = add(%x, %y) : f32[256]", "%r = add(%y, %x) : f32[256]").compared, 0);
  const ir::Graph sum =
      program("i8[256]", "%a = add(%x, %y) : i8[256] %r = reduce_sum{axes=[0], keepdims=0}(%a) : i8[]");
  EXPECT_FALSE(is_pointwise(sum));
  EXPECT_EQ(compare_every_value(sum, sum).compared, 0);
  EXPECT_TRUE(is_pointwise(program("f32[4]", "%r = gelu(%x) : f32[4]")));
}

}  // namespace
}  // namespace isomer::verify
