// Programs that are the same at every size of their named dimensions, and such as are not.
#include "meaning/element_terms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::meaning {
namespace {

class ElementTermsOf : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};
  bool same(const std::string& inputs, const std::string& a, const std::string& b) {
    const auto graph = [&](const std::string& body) {
      return ir::parse_graph(ctx, "graph {" + inputs + body + "}");
    };
    return same_elements(graph(a), graph(b));
  }
};

constexpr const char* kX = "%x = input{name=\"x\"} : f32[B,S,384]\n";

TEST_F(ElementTermsOf, TransposesTurnBack) {
  EXPECT_TRUE(same(kX,
                   "%t = transpose{perm=[2,0,1]}(%x) : f32[384,B,S]\n %u = transpose{perm=[1,2,0]}(%t) : "
                   "f32[B,S,384]\n return %u",
                   "return %x"));
  EXPECT_FALSE(same("%x = input{name=\"x\"} : f32[B,B]\n",
                    "%t = transpose{perm=[1,0]}(%x) : f32[B,B]\n return %t", "return %x"));
}

TEST_F(ElementTermsOf, ReshapesOfNamedSizesCancel) {
  const std::string squares = "%x = input{name=\"x\"} : f32[S,384]\n";
  EXPECT_TRUE(same(squares,
                   "%r = reshape{shape=[S,6,64]}(%x) : f32[S,6,64]\n %q = reshape{shape=[S,384]}(%r) : "
                   "f32[S,384]\n return %q",
                   "return %x"));
  EXPECT_TRUE(same(squares,
                   "%r = reshape{shape=[S,6,64]}(%x) : f32[S,6,64]\n %e = exp(%r) : f32[S,6,64]\n return %e",
                   "%e = exp(%x) : f32[S,384]\n %r = reshape{shape=[S,6,64]}(%e) : f32[S,6,64]\n return %r"));
  EXPECT_FALSE(same(squares, "%r = reshape{shape=[S,6,64]}(%x) : f32[S,6,64]\n return %r",
                    "%r = reshape{shape=[S,64,6]}(%x) : f32[S,64,6]\n %t = transpose{perm=[0,2,1]}(%r) : "
                    "f32[S,6,64]\n return %t"));
}

TEST_F(ElementTermsOf, RegroupingTakesNoDivision) {
  const std::string all = "%x = input{name=\"x\"} : f32[A*B*C]\n";
  const auto to = [](const std::string& shape, const std::string& from, const std::string& name) {
    return "%" + name + " = reshape{shape=[" + shape + "]}(%" + from + ") : f32[" + shape + "]\n ";
  };
  const std::string whole = to("A,B,C", "x", "r");
  EXPECT_TRUE(same(all, whole + "return %r", to("A,B*C", "x", "p") + to("A,B,C", "p", "q") + "return %q"));
  EXPECT_TRUE(same(all, whole + "return %r", to("A*B,C", "x", "p") + to("A,B,C", "p", "q") + "return %q"));
  EXPECT_TRUE(same(all, whole + to("A*B,C", "r", "q") + to("A*B*C", "q", "s") + "return %s", "return %x"));
  // Groups of other factors are other elements.
  EXPECT_FALSE(same(all, whole + "%t = transpose{perm=[1,0,2]}(%r) : f32[B,A,C]\n return %t",
                    to("B,A,C", "x", "q") + "return %q"));
}

TEST_F(ElementTermsOf, SumsOverFactorsAreSumsOverTheProduct) {
  for (const auto& [h, d, both] : {std::tuple("H", "D", "D*H"), std::tuple("6", "64", "384")}) {
    const std::string x = fmt::format("%x = input{{name=\"x\"}} : f32[N,{},{}]\n", h, d);
    const std::string apart = "%s = reduce_sum{axes=[1,2],keepdims=0}(%x) : f32[N]\n return %s";
    const std::string together = fmt::format(
        "%r = reshape{{shape=[N,{0}]}}(%x) : f32[N,{0}]\n %s = reduce_sum{{axes=[1],keepdims=0}}(%r) : "
        "f32[N]\n return %s",
        both);
    const std::string turned = fmt::format(
        "%t = transpose{{perm=[0,2,1]}}(%x) : f32[N,{1},{0}]\n %s = "
        "reduce_sum{{axes=[1,2],keepdims=0}}(%t) : f32[N]\n return %s",
        h, d);
    EXPECT_TRUE(same(x, apart, together)) << both;
    EXPECT_FALSE(same(x, apart, turned)) << both;
  }
}

TEST_F(ElementTermsOf, ASumOverBothPartsIsOneOverTheWhole) {
  const auto parted = [](const std::string& shape, const std::string& axes) {
    return "%r = reshape{shape=" + shape + "}(%x) : f32" + shape + "\n %s = reduce_sum{axes=" + axes +
           ", keepdims=0}(%r) : f32[N]\n return %s";
  };
  const std::string whole = "%s = reduce_sum{axes=[1], keepdims=0}(%x) : f32[N]\n return %s";
  EXPECT_TRUE(same("%x = input{name=\"x\"} : f32[N,384]\n", whole, parted("[N,6,64]", "[1,2]")));
  EXPECT_TRUE(same("%x = input{name=\"x\"} : f32[N,H*D]\n", whole, parted("[N,H,D]", "[1,2]")));
}

TEST_F(ElementTermsOf, ASumOverOnesOrNothingHasNoFactors) {
  const std::string sum = "%s = reduce_sum{axes=[0,1], keepdims=0}(%x) : f32[]\n ";
  for (const char* shape : {"[N,1]", "[1,N]", "[N,0]", "[0,N]", "[1,1]"})
    EXPECT_FALSE(same(fmt::format("%x = input{{name=\"x\"}} : f32{}\n", shape), sum + "return %s",
                      sum + "%t = exp(%s) : f32[]\n return %t"))
        << shape;
}

TEST_F(ElementTermsOf, ProductsOfMergedHeadsAreSumsOverBoth) {
  const std::string two = "%x = input{name=\"x\"} : f32[S,H,D]\n %w = input{name=\"w\"} : f32[D*H,O]\n";
  const std::string merged =
      "%r = reshape{shape=[S,D*H]}(%x) : f32[S,D*H]\n %p = matmul(%r, %w) : f32[S,O]\n return %p";
  const auto apart = [](const std::string& equation) {
    return "%v = reshape{shape=[H,D,O]}(%w) : f32[H,D,O]\n %p = einsum{equation=\"" + equation +
           "\"}(%x, %v) : f32[S,O]\n return %p";
  };
  EXPECT_TRUE(same(two, merged, apart("sab,abo->so")));
  // Letters are summed in the order of the alphabet.
  EXPECT_FALSE(same(two, merged, apart("sba,bao->so")));
}

TEST_F(ElementTermsOf, PartsOfJoinedTensorsAreTheTensors) {
  const std::string two = "%x = input{name=\"x\"} : f32[N,3]\n %y = input{name=\"y\"} : f32[N,5]\n";
  const std::string joined = "%c = concat{axis=1}(%x, %y) : f32[N,8]\n";
  EXPECT_TRUE(same(two,
                   joined + "%s = slice{axes=[1],starts=[3],ends=[8],steps=[1]}(%c) : f32[N,5]\n return %s",
                   "return %y"));
  EXPECT_FALSE(same("%x = input{name=\"x\"} : f32[N,5]\n %y = input{name=\"y\"} : f32[N,5]\n",
                    "%c = concat{axis=1}(%x, %y) : f32[N,10]\n %s = "
                    "slice{axes=[1],starts=[4],ends=[9],steps=[1]}(%c) : f32[N,5]\n return %s",
                    "return %y"));
}

TEST_F(ElementTermsOf, BroadcastsAreOfNoMoment) {
  const std::string two = "%x = input{name=\"x\"} : f32[N,M]\n %y = input{name=\"y\"} : f32[1,M]\n";
  EXPECT_TRUE(same(two,
                   "%b = broadcast{shape=[N,M]}(%y) : f32[N,M]\n %e = exp(%b) : f32[N,M]\n %s = add(%x, %e) "
                   ": f32[N,M]\n return %s",
                   "%e = exp(%y) : f32[1,M]\n %b = broadcast{shape=[N,M]}(%e) : f32[N,M]\n %s = add(%x, %b) "
                   ": f32[N,M]\n return %s"));
  // At N = 1 alone they are the same.
  EXPECT_FALSE(
      same("%x = input{name=\"x\"} : f32[N,M]\n %y = input{name=\"y\"} : f32[1,N]\n %z = input{name=\"z\"} : "
           "f32[N,1]\n",
           "%b = broadcast{shape=[N,N]}(%y) : f32[N,N]\n return %b",
           "%b = broadcast{shape=[N,N]}(%z) : f32[N,N]\n return %b"));
}

TEST_F(ElementTermsOf, SumsHaveAnOrder) {
  const std::string two = "%x = input{name=\"x\"} : f32[N,K]\n %y = input{name=\"y\"} : f32[K,M]\n";
  EXPECT_TRUE(same(two,
                   "%p = matmul(%x, %y) : f32[N,M]\n %t = transpose{perm=[1,0]}(%p) : f32[M,N]\n return %t",
                   "%p = matmul(%x, %y) : f32[N,M]\n %u = unsqueeze{axes=[0]}(%p) : f32[1,N,M]\n %q = "
                   "squeeze{axes=[0]}(%u) : f32[N,M]\n "
                   "%t = transpose{perm=[1,0]}(%q) : f32[M,N]\n return %t"));
  EXPECT_FALSE(same(two, "%s = reduce_sum{axes=[0,1],keepdims=0}(%x) : f32[]\n return %s",
                    "%s = reduce_sum{axes=[1],keepdims=0}(%x) : f32[N]\n %r = "
                    "reduce_sum{axes=[0],keepdims=0}(%s) : f32[]\n return %r"));
  EXPECT_FALSE(same(two, "%s = reduce_sum{axes=[1],keepdims=0}(%x) : f32[N]\n return %s",
                    "%s = reduce_max{axes=[1],keepdims=0}(%x) : f32[N]\n return %s"));
}

TEST_F(ElementTermsOf, WhatRoundsTwiceIsAnotherProgram) {
  EXPECT_FALSE(same(kX, "%s = silu(%x) : f32[B,S,384]\n return %s",
                    "%s = sigmoid(%x) : f32[B,S,384]\n %p = mul(%x, %s) : f32[B,S,384]\n %e = exp(%p) : "
                    "f32[B,S,384]\n return %e"));
  EXPECT_FALSE(
      same(kX, "%a = add(%x, %x) : f32[B,S,384]\n return %a", "%a = mul(%x, %x) : f32[B,S,384]\n return %a"));
}

}  // namespace
}  // namespace isomer::meaning
