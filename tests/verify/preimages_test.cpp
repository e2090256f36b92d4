#include "verify/preimages.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::verify {
namespace {

/// Of an equality of %q, which the body makes of %x, and a number.
std::vector<int64_t> equal_at(const std::string& type, const std::string& body, const std::string& number) {
  ir::Context ctx(ir::standard_ops());
  std::string text = R"(graph {
    %x = input{name="x"} : T[4]
    %c = constant : T[] {13}
    %k = broadcast{shape=[4]}(%c) : T[4]
    %d = constant : T[] {4}
    %two = broadcast{shape=[4]}(%d) : T[4]
    )" + body + R"(
    %n = constant : T[] {)" +
                     number + R"(}
    %w = broadcast{shape=[4]}(%n) : T[4]
    %y = equal(%q, %w) : bool[4]
    return %y })";
  for (size_t at = text.find("T["); at != std::string::npos; at = text.find("T[", at))
    text.replace(at, 1, type);
  const ir::Graph graph = ir::parse_graph(ctx, text);
  return preimages(graph, graph);
}

using Found = std::vector<int64_t>;

TEST(Preimages, WhatWrapsIsUndone) {
  EXPECT_EQ(equal_at("i32", "%q = add(%x, %k) : T[4]", "3"), Found{-10});
  EXPECT_EQ(equal_at("i32", "%q = sub(%k, %x) : T[4]", "3"), Found{10});
  EXPECT_EQ(equal_at("u8", "%q = mul(%x, %k) : T[4]", "1"), Found{197});  // 13 * 197 is 10 * 256 + 1
  EXPECT_EQ(equal_at("i8", "%a = bit_not(%x) : T[4] %q = neg(%a) : T[4]", "-128"), Found{127});
  EXPECT_EQ(equal_at("i64", "%a = bit_xor(%x, %k) : T[4] %q = mul(%a, %k) : T[4]", "-13"), Found{-14});
}

TEST(Preimages, SquaresHaveRoots) {
  EXPECT_EQ(equal_at("i32", "%q = mul(%x, %x) : T[4]", "1369"), Found{37});
  const Found wrapped = equal_at("u32", "%q = mul(%x, %x) : T[4]", "2356728961");  // 123457^2 modulo 2^32
  ASSERT_EQ(wrapped.size(), 1u);
  const auto root = static_cast<uint64_t>(wrapped[0]);
  EXPECT_EQ(root * root % (uint64_t{1} << 32), 2356728961u);
  EXPECT_TRUE(equal_at("i32", "%q = mul(%x, %x) : T[4]", "1371").empty());
}

/// Of equalities of remainders of %a, which the body makes of %x.
std::vector<int64_t> leaving(const std::string& body, const std::vector<std::pair<int, int>>& asked) {
  ir::Context ctx(ir::standard_ops());
  std::string text = "graph { %x = input{name=\"x\"} : i64[] %five = constant : i64[] {5} " + body, outputs;
  for (size_t i = 0; i < asked.size(); ++i) {
    const std::string n = std::to_string(i);
    text += " %p" + n + " = constant : i64[] {" + std::to_string(asked[i].first) + "} %r" + n +
            " = constant : i64[] {" + std::to_string(asked[i].second) + "} %m" + n + " = mod{fmod=0}(%a, %p" +
            n + ") : i64[] %e" + n + " = equal(%m" + n + ", %r" + n + ") : bool[]";
    outputs += (i == 0 ? " %e" : ", %e") + n;
  }
  const ir::Graph graph = ir::parse_graph(ctx, text + " return" + outputs + " }");
  return preimages(graph, graph);
}

TEST(Preimages, RemaindersAreLeftAtOnce) {
  const auto has = [](const Found& found, int64_t x) { return std::ranges::find(found, x) != found.end(); };
  const std::string plain = "%a = abs(%x) : i64[]";
  const int64_t x = 123 + 997 * 555;
  const std::pair two{997, 123}, other{1009, static_cast<int>(x % 1009)},
      third{1013, static_cast<int>(x % 1013)};
  EXPECT_TRUE(has(leaving("%a = add(%x, %five) : i64[]", {two, other}), x - 5));
  EXPECT_TRUE(has(leaving("%b = mul(%x, %five) : i64[] %a = sub(%b, %five) : i64[]", {{7, 3}, {11, 10}}), 3));
  EXPECT_TRUE(has(leaving("%a = neg(%x) : i64[]", {two, other, third}), 997LL * 1009 * 1013 - x));
  EXPECT_TRUE(leaving(plain, {two, other}).empty()) << "what is no sum of products is not followed";
  EXPECT_EQ(leaving("%a = neg(%x) : i64[]", {{4, 1}, {6, 3}}), Found{3}) << "of a common factor each alone";
}

TEST(Preimages, OfStepsTheMiddle) {
  ir::Context ctx(ir::standard_ops());
  const auto of_steps = [&](const std::string& body, const std::string& type) {
    return float_preimages(ir::parse_graph(
        ctx, "graph { %x = input{name=\"x\"} : f32[] %k = constant : f32[] {100} %n = constant : " + type +
                 "[] {314} " + body + " %e = equal(%q, %n) : bool[] return %e }"));
  };
  const std::string hundredfold = "%p = mul(%x, %k) : f32[] ";
  EXPECT_EQ(of_steps(hundredfold + "%q = floor(%p) : f32[]", "f32"), std::vector<double>{3.145});
  EXPECT_EQ(of_steps(hundredfold + "%q = cast{to=i64}(%p) : i64[]", "i64"), std::vector<double>{3.145});
  EXPECT_EQ(of_steps("%p = sub(%k, %x) : f32[] %q = ceil(%p) : f32[]", "f32"), std::vector<double>{-213.5});
  EXPECT_TRUE(of_steps("%q = mul(%x, %k) : f32[]", "f32").empty()) << "without a step Newton's find it";
}

TEST(Preimages, AHashIsUndone) {
  // 2718281828 through two steps of what mixes 32 bits.
  const char* const kMix = R"(%s = bit_shift{direction="RIGHT"}(%x, %k) : T[4]
    %m = bit_xor(%x, %s) : T[4]
    %p = mul(%m, %k) : T[4]
    %l = bit_shift{direction="LEFT"}(%p, %two) : T[4]
    %q = bit_xor(%l, %p) : T[4])";
  const uint32_t x = 2718281828, m = x ^ (x >> 13), p = m * 13, q = p ^ (p << 4);
  EXPECT_EQ(equal_at("u32", kMix, std::to_string(q)), Found{2718281828});
}

TEST(Preimages, WhatIsMovedAroundIsMovedBack) {
  const auto rotated = [](const char* joined) {  // by 13 of 16 bits to the left, and by 3 to the right
    return equal_at("u16",
                    std::string(R"(%e = constant : T[] {3} %three = broadcast{shape=[4]}(%e) : T[4]
      %l = bit_shift{direction="LEFT"}(%x, %k) : T[4]
      %s = bit_shift{direction="RIGHT"}(%x, %three) : T[4] %q = )") +
                        joined + " : T[4]",
                    std::to_string(uint16_t(0x1234 << 13 | 0x1234 >> 3)));
  };
  for (const char* joined : {"bit_or(%l, %s)", "bit_or(%s, %l)", "bit_xor(%s, %l)", "add(%l, %s)"})
    EXPECT_EQ(rotated(joined), Found{0x1234}) << joined;
  EXPECT_EQ(rotated("bit_and(%l, %s)"), Found{});
  EXPECT_EQ(rotated("bit_or(%l, %k)"), Found{}) << "what is not of the number itself";
}

TEST(Preimages, WhatLosesDigitsIsLeft) {
  EXPECT_EQ(equal_at("u32", "%q = mul(%x, %two) : T[4]", "8"), Found{});
  EXPECT_EQ(equal_at("u32", "%q = bit_and(%x, %k) : T[4]", "8"), Found{});
  EXPECT_EQ(equal_at("u32", "%q = reshape{shape=[4]}(%x) : T[4]", "9"), Found{9});
}

}  // namespace
}  // namespace isomer::verify
