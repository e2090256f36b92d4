// Which inputs decide the branches of Ifs, and at which values programs are compared for that.
#include "recipes/deciders.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

std::vector<Decider> deciders(const char* conditions, const char* condition) {
  ir::Context ctx(ir::standard_ops());
  const std::string text = std::string(R"(graph g {
    %x = input{name="x"} : f32[4]
    %rate = input{name="rate"} : i64[1]
    %mode = input{name="mode"} : u8[]
    %flag = input{name="flag"} : bool[]
    %a = constant : i64[1] {16000}
    %b = constant : i64[1] {8000}
    %c = constant : u8[] {255}
  )") + conditions + "%y = opaque{format=\"onnx\", op=\"If\", body=\"\"}(" +
                           condition + ", %x) : f32[4] return %y }";
  return deciders_of(ir::parse_graph(ctx, text, "test"));
}

TEST(Deciders, AnEqualityIsMetAndNotMet) {
  const auto seen = deciders("%e = equal(%rate, %a) : bool[1]", "%e");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].input, "rate");
  EXPECT_TRUE(seen[0].has_usual);
  EXPECT_EQ(seen[0].values, (std::vector<double>{16000, 16001}));
  EXPECT_EQ(with_usual({}, seen).at("rate").values, std::vector<double>{16000});
  EXPECT_TRUE(without_usual(with_usual({}, seen), seen).empty());
  const InputBounds asked{{"rate", {0, 9, {}}}};
  EXPECT_EQ(without_usual(with_usual(asked, seen), seen).at("rate").high, 9) << "more is known of it";
  const auto others = other_branches(seen);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].at("rate").values, std::vector<double>{16001});
}

TEST(Deciders, WhatJoinsComparisonsIsFollowed) {
  const auto seen = deciders(R"(%e = equal(%rate, %a) : bool[1] %l = less(%b, %rate) : bool[1]
    %n = not(%l) : bool[1] %o = or(%e, %n) : bool[1] %r = reshape{shape=[]}(%o) : bool[]
    %g = and(%r, %flag) : bool[])",
                             "%g");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].values, (std::vector<double>{16000, 16001, 7999, 8000, 8001}));
  EXPECT_EQ(seen[1].input, "flag");
  EXPECT_EQ(seen[1].values, (std::vector<double>{0, 1}));
  EXPECT_FALSE(seen[1].has_usual);
  EXPECT_EQ(other_branches(seen).size(), 6U) << "all but the usual one";
}

TEST(Deciders, ValuesAreOnesOfTheType) {
  const auto seen = deciders("%e = equal(%mode, %c) : bool[]", "%e");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].values, std::vector<double>{255}) << "256 is none";
  EXPECT_TRUE(deciders("", "%x").empty()) << "what is no condition";
}

TEST(Deciders, OfTwoProgramsTheValuesOfBoth) {
  const auto one = deciders("%e = equal(%rate, %a) : bool[1]", "%e"),
             two = deciders("%e = equal(%rate, %b) : bool[1]", "%e");
  const auto both = joined(one, two);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].values, (std::vector<double>{16000, 16001, 8000, 8001}));
  EXPECT_EQ(joined(deciders("", "%flag"), one).size(), 2U);
}

}  // namespace
}  // namespace isomer::recipes
