// XLA's operators with regions, and its pointwise ones, against numbers written out by hand; that HLO modules
// compute the same by them as in XLA is tests/formats/hlo_values.py's to show.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "eval/run_text.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<int64_t>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class XlaRegions : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  std::vector<Tensor<double>> run(const std::string& text, const std::vector<Numbers>& inputs) {
    const ir::Graph graph = ir::parse_graph(ctx, text);
    std::vector<Value<double>> values;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ir::Type& type = graph.type(graph.inputs()[i]);
      Tensor<double> t{type.dtype, ir::sizes(type.shape), {}, {}};
      if (ir::is_integer(type.dtype))
        t.integers.assign(inputs[i].begin(), inputs[i].end());
      else
        t.numbers = inputs[i];
      values.push_back(eval::make_value(std::move(t)));
    }
    eval::Float64 domain;
    std::vector<Tensor<double>> out;
    for (const auto& value : eval::evaluate(domain, graph, std::span<const Value<double>>(values)))
      if (value.tensor != nullptr)
        out.push_back(*value.tensor);
      else
        for (const auto& element : value.elements) out.push_back(*element.tensor);
    return out;
  }

  /// Of one operand and a result of its shape.
  Tensor<double> of_one(const std::string& op, const std::string& from, const std::string& to,
                        const Numbers& x) {
    const std::string sizes = "[" + std::to_string(x.size()) + "]";
    return run("graph { %x = input{name=\"x\"} : " + from + sizes + "\n %y = " + op + "(%x) : " + to + sizes +
                   "\n return %y }",
               {x})[0];
  }
};

constexpr const char* kLater = R"(graph { %x = input{name="x"} : f32[2,4]
  %i = input{name="i"} : i32[2,4]
  %s = sort{axis=1,comparator={
    %a = input{name="a"} : f32[]
    %b = input{name="b"} : f32[]
    %p = input{name="p"} : i32[]
    %q = input{name="q"} : i32[]
    %more = less(%b, %a) : bool[]
    return %more }}(%x, %i) : (f32[2,4], i32[2,4])
  return %s })";

TEST_F(XlaRegions, SortsByItsComparatorAndKeepsTheOrderOfEqualOnes) {
  const auto out = run(kLater, {{1, 3, 3, 2, 5, 5, 5, 9}, {0, 1, 2, 3, 4, 5, 6, 7}});
  EXPECT_EQ(out[0].numbers, (Numbers{3, 3, 2, 1, 9, 5, 5, 5}));
  EXPECT_EQ(out[1].integers, (Integers{1, 2, 3, 0, 7, 4, 5, 6}));
  const ir::Graph graph = ir::parse_graph(ctx, kLater);
  EXPECT_EQ(ir::print(ir::parse_graph(ctx, ir::print(graph))), ir::print(graph)) << "its text comes back";
}

TEST_F(XlaRegions, ASortWithoutAComparatorOfItsElementsIsRefused) {
  std::string text = kLater;
  text.replace(text.find("%q = input{name=\"q\"} : i32[]"), 27, "%q = input{name=\"q\"} : f32[]");
  EXPECT_THROW(ir::parse_graph(ctx, text), InputError);
}

TEST_F(XlaRegions, AConditionChooses) {
  const std::string text = R"(graph { %p = input{name="p"} : bool[]
  %x = input{name="x"} : f32[2]
  %y = conditional{region={
    %v = input{name="v"} : f32[2]
    %n = neg(%v) : f32[2]
    return %n }, otherwise={
    %v = input{name="v"} : f32[2]
    return %v }}(%p, %x) : f32[2]
  return %y })";
  EXPECT_EQ(run(text, {{1}, {2, 3}})[0].numbers, (Numbers{-2, -3}));
  EXPECT_EQ(run(text, {{0}, {2, 3}})[0].numbers, (Numbers{2, 3}));
}

std::string windows(const std::string& attributes, const std::string& result) {
  return "graph { %x = input{name=\"x\"} : f32[4]\n %z = input{name=\"z\"} : f32[]\n %r = reduce_window{" +
         attributes +
         ",combiner={\n %a = input{name=\"a\"} : f32[]\n %b = input{name=\"b\"} : f32[]\n"
         " %s = sub(%a, %b) : f32[]\n return %s }}(%x, %z) : " +
         result + "\n return %r }";
}

TEST_F(XlaRegions, WindowsBeginWithTheScalarAndLeaveOutGapsAndPads) {
  const Numbers x = {1, 2, 4, 8};
  EXPECT_EQ(run(windows("kernel=[2],strides=[2],dilations=[1],input_dilations=[1],pads=[1,1]", "f32[3]"),
                {x, {100}})[0]
                .numbers,
            (Numbers{99, 94, 92}));
  // 1 _ 2 _ 4 _ 8, two taps that lie three apart: each meets one element.
  EXPECT_EQ(run(windows("kernel=[2],strides=[1],dilations=[3],input_dilations=[2],pads=[0,-1]", "f32[3]"),
                {x, {0}})[0]
                .numbers,
            (Numbers{-1, -4, -2}));
  EXPECT_THROW(
      run(windows("kernel=[0],strides=[1],dilations=[1],input_dilations=[1],pads=[0,0]", "f32[5]"), {x, {0}}),
      InputError);
}

TEST_F(XlaRegions, ACombinersIntegersWrapBetweenItsOperators) {
  const std::string text = R"(graph { %x = input{name="x"} : i8[1]
  %z = input{name="z"} : i8[]
  %r = reduce{axes=[0],combiner={
    %a = input{name="a"} : i8[]
    %b = input{name="b"} : i8[]
    %s = add(%a, %b) : i8[]
    %m = max(%s, %b) : i8[]
    return %m }}(%x, %z) : i8[]
  return %r })";
  EXPECT_EQ(run(text, {{100}, {100}})[0].integers, (Integers{100})) << "the sum is -56";
}

TEST_F(XlaRegions, FunctionsAreExactNearZero) {
  EXPECT_EQ(of_one("expm1", "f64", "f64", {1e-20, -kInfinity}).numbers, (Numbers{1e-20, -1}));
  EXPECT_EQ(of_one("log1p", "f64", "f64", {1e-20, -1}).numbers, (Numbers{1e-20, -kInfinity}));
  EXPECT_NEAR(of_one("cbrt", "f64", "f64", {-27}).numbers[0], -3, 1e-15);
  EXPECT_EQ(of_one("round_away", "f64", "f64", {0.5, -2.5, 2.4}).numbers, (Numbers{1, -3, 2}));
}

TEST_F(XlaRegions, BitsAreCountedInTheWidthOfTheirType) {
  EXPECT_EQ(of_one("bit_count", "i8", "i8", {-1, 0, 5}).integers, (Integers{8, 0, 2}));
  EXPECT_EQ(of_one("leading_zeros", "u16", "u16", {0, 1, 65535}).integers, (Integers{16, 15, 0}));
  EXPECT_EQ(of_one("bit_count", "i64", "i64", {-1, 1}).integers, (Integers{64, 1}));
}

TEST_F(XlaRegions, FloatsAreMadeOfTheirBitsAndTakenApart) {
  const Numbers floats = {
      0.0,       -0.0,       1.0,  -1.5, 1e-45, 1.1754943508222875e-38, 3.4028234663852886e+38,
      kInfinity, -kInfinity, 0.1f, 7.0};
  Numbers bits;
  for (const double x : floats) {
    const auto f = static_cast<float>(x);
    uint32_t word = 0;
    std::memcpy(&word, &f, sizeof word);
    bits.push_back(word);
  }
  Numbers exact;
  for (const double x : floats) exact.push_back(static_cast<double>(static_cast<float>(x)));
  const Tensor<double> made = of_one("bit_cast{to=f32}", "u32", "f32", bits);
  for (size_t i = 0; i < floats.size(); ++i) {
    EXPECT_EQ(made.numbers[i], exact[i]);
    EXPECT_EQ(std::signbit(made.numbers[i]), std::signbit(exact[i]));
  }
  EXPECT_EQ(of_one("bit_cast{to=u32}", "f32", "u32", exact).integers, Integers(bits.begin(), bits.end()));
  EXPECT_EQ(of_one("bit_cast{to=u32}", "f32", "u32", {kNaN}).integers, (Integers{0x7fc00000}));
  EXPECT_TRUE(std::isnan(of_one("bit_cast{to=f32}", "i32", "f32", {-1}).numbers[0]));
  EXPECT_EQ(of_one("bit_cast{to=f64}", "i64", "f64", {0x3ff8000000000000}).numbers, (Numbers{1.5}));
  EXPECT_THROW(of_one("bit_cast{to=u64}", "f64", "u64", {1}), InputError) << "of at most 32 bits";
}

}  // namespace
}  // namespace isomer::eval_test
