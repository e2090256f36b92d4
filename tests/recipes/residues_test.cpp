#include "recipes/residues.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

/// Whether %q, which the body makes of the integers x and z, may be such a number.
bool may_be(const std::string& body, int number) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : i32[4]
    %z = input{name="z"} : i32[4]
    %one = constant : i32[4] {1, 1, 1, 1}
    %three = constant : i32[4] {3, 3, 3, 3}
    %four = constant : i32[4] {4, 4, 4, 4}
    %some = constant : i32[4] {4, 4, 4, 6}
    %n = constant : i32[] {)" + std::to_string(number) +
                                                   "}\n" + body + "\nreturn %q, %n }");
  return equality_of(graph, graph.outputs()[0], graph.outputs()[1]).possible;
}

TEST(Residues, SquaresLeaveFew) {
  const char* const square = "%q = mul(%x, %x) : i32[4]";
  for (const int never : {2, 3, 5, 6, 7, 8, 13, -1}) EXPECT_FALSE(may_be(square, never)) << never;
  for (const int once : {0, 1, 4, 9, 16, 17}) EXPECT_TRUE(may_be(square, once)) << once;
  EXPECT_TRUE(may_be("%q = mul(%x, %z) : i32[4]", 3));
  const char* const squares = R"(%a = mul(%x, %x) : i32[4]
    %b = mul(%z, %z) : i32[4]
    %q = add(%a, %b) : i32[4])";
  EXPECT_FALSE(may_be(squares, 3));
  EXPECT_TRUE(may_be(squares, 5));
}

TEST(Residues, MultiplesAndMasks) {
  EXPECT_FALSE(may_be("%q = mul(%x, %four) : i32[4]", 6));
  EXPECT_TRUE(may_be("%q = mul(%x, %four) : i32[4]", 8));
  EXPECT_TRUE(may_be("%q = mul(%x, %some) : i32[4]", 6)) << "not one number in all elements";
  const char* const next = R"(%m = add(%x, %one) : i32[4]
    %p = mul(%x, %m) : i32[4]
    %q = bit_and(%p, %one) : i32[4])";
  EXPECT_FALSE(may_be(next, 1));
  EXPECT_TRUE(may_be(next, 0));
  const auto remainder = [](int fmod) {
    return "%m = add(%x, %one) : i32[4] %p = mul(%x, %m) : i32[4] %q = mod{fmod=" + std::to_string(fmod) +
           "}(%p, %four) : i32[4]";
  };
  for (const int never : {1, 3, 4, -2}) EXPECT_FALSE(may_be(remainder(0), never)) << never;
  EXPECT_TRUE(may_be(remainder(0), 2));
  EXPECT_TRUE(may_be(remainder(1), -2)) << "with the dividend's sign";
  EXPECT_FALSE(may_be("%m = bit_not(%three) : i32[4] %q = bit_and(%x, %m) : i32[4]", 6));
}

TEST(Residues, OtherPlacesAreOtherNumbers) {
  EXPECT_TRUE(may_be(R"(%t = slice{axes=[0], starts=[-1], ends=[-9], steps=[-1]}(%x) : i32[4]
    %q = mul(%x, %t) : i32[4])",
                     3));
  EXPECT_FALSE(may_be(R"(%w = cast{to=i64}(%x) : i64[4]
    %s = mul(%w, %w) : i64[4]
    %q = cast{to=i32}(%s) : i32[4])",
                      3));
}

TEST(Residues, PartsOfASquareAreSquares) {
  const char* const parts = R"(%p = mul(%x, %x) : i32[4]
    %s = split{axis=0, sizes=[2,2]}(%p) : (i32[2], i32[2])
    %a = get{index=0}(%s) : i32[2]
    %b = get{index=1}(%s) : i32[2]
    %q = add(%a, %b) : i32[2])";
  for (const int never : {3, 6, 7}) EXPECT_FALSE(may_be(parts, never)) << never;
  for (const int once : {0, 1, 2, 5}) EXPECT_TRUE(may_be(parts, once)) << once;
}

TEST(Residues, OddSquaresLeaveOne) {
  const auto must_be = [](const std::string& body, int number) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
      %x = input{name="x"} : i32[4]
      %one = constant : i32[4] {1, 1, 1, 1}
      %seven = constant : i32[4] {7, 7, 7, 7}
      %many = constant : i32[4] {4103, 4103, 4103, 4103}
      %n = constant : i32[] {)" + std::to_string(number) +
                                                     R"(}
      %d = add(%x, %x) : i32[4]
      %o = add(%d, %one) : i32[4]
      %s = mul(%o, %o) : i32[4]
      )" + body + " return %q, %n }");
    return equality_of(graph, graph.outputs()[0], graph.outputs()[1]).certain;
  };
  EXPECT_TRUE(must_be("%q = bit_and(%s, %seven) : i32[4]", 1));
  EXPECT_FALSE(must_be("%q = bit_and(%s, %seven) : i32[4]", 3));
  EXPECT_FALSE(must_be("%q = bit_and(%o, %seven) : i32[4]", 1));
  EXPECT_FALSE(must_be("%q = bit_and(%s, %many) : i32[4]", 1)) << "more digits than are looked at";
  EXPECT_FALSE(must_be("%q = mul(%s, %one) : i32[4]", 1));
}

TEST(Residues, ALongChainEndsSomewhere) {
  std::string chain = "%c0 = mul(%x, %four) : i32[4]\n";
  constexpr int kLength = 20'000;
  for (int i = 1; i < kLength; ++i)
    chain += "%c" + std::to_string(i) + " = add(%c" + std::to_string(i - 1) + ", %four) : i32[4]\n";
  EXPECT_TRUE(may_be(chain + "%q = neg(%c" + std::to_string(kLength - 1) + ") : i32[4]", 6)) << "not known";
}

TEST(Residues, OfOneValue) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : i32[4]
    %two = constant : i32[4] {2, 2, 2, 2}
    %t = mul(%x, %two) : i32[4]
    return %t, %x })");
  const std::vector<bool> even = possible_residues(graph, graph.outputs()[0]);
  ASSERT_EQ(even.size(), 16u);
  for (size_t r = 0; r < even.size(); ++r) EXPECT_EQ(even[r], r % 2 == 0) << r;
  for (const bool can : possible_residues(graph, graph.outputs()[1])) EXPECT_TRUE(can);
}

}  // namespace
}  // namespace isomer::recipes
