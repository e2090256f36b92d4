// Procedural meanings: what sorts, against sorting done here; loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/doubling.h"
#include "eval/run_text.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

class Procedures : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  /// Outputs, tuples taken apart, of one input of these numbers.
  std::vector<Tensor<double>> run(const std::string& text, std::vector<double> numbers) {
    const ir::Graph graph = ir::parse_graph(ctx, text);
    const ir::Type& type = graph.type(graph.inputs()[0]);
    Tensor<double> x{type.dtype, ir::sizes(type.shape), std::move(numbers), {}};
    const Value<double> in = eval::make_value(std::move(x));
    eval::Float64 domain;
    std::vector<Tensor<double>> out;
    for (const auto& value : eval::evaluate(domain, graph, std::span<const Value<double>>(&in, 1))) {
      if (value.tensor) out.push_back(*value.tensor);
      for (const auto& e : value.elements) out.push_back(*e.tensor);
    }
    return out;
  }
};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Integers = std::vector<int64_t>;
using Numbers = std::vector<double>;

TEST_F(Procedures, TopKAlongAnInnerAxis) {
  const Ran r = run_text(ctx, R"(graph {
    %x = input{name="x"} : f32[2,5,3]
    %t = top_k{axis=1, k=2}(%x) : (f32[2,2,3], i64[2,2,3])
    return %t })");
  for (size_t outer = 0; outer < 2; ++outer)
    for (size_t inner = 0; inner < 3; ++inner) {
      std::vector<std::pair<double, int64_t>> line;
      for (size_t n = 0; n < 5; ++n)
        line.emplace_back(r.inputs[0].numbers[(outer * 5 + n) * 3 + inner], static_cast<int64_t>(n));
      std::ranges::sort(line, [](auto a, auto b) { return a.first > b.first; });
      for (size_t n = 0; n < 2; ++n) {
        EXPECT_EQ(r.outputs[0].numbers[(outer * 2 + n) * 3 + inner], line[n].first);
        EXPECT_EQ(r.outputs[1].integers[(outer * 2 + n) * 3 + inner], line[n].second);
      }
    }
}

TEST_F(Procedures, EqualElementsComeInTheirOrderAndNaNIsTheGreatest) {
  const auto up = run(R"(graph { %x = input{name="x"} : f64[6]
    %t = top_k{axis=0, k=6, largest=0}(%x) : (f64[6], i64[6])
    return %t })",
                      {1, kNaN, -0.0, 0.0, 1, -2});
  EXPECT_EQ(up[1].integers, (Integers{5, 2, 3, 0, 4, 1}));
  const auto down = run(R"(graph { %x = input{name="x"} : f64[6]
    %t = top_k{axis=0, k=4}(%x) : (f64[4], i64[4])
    return %t })",
                        {1, kNaN, -0.0, 0.0, 1, -2});
  EXPECT_EQ(down[1].integers, (Integers{1, 0, 4, 2}));
}

TEST_F(Procedures, PlacesOfTheLargestAndTheSmallest) {
  const char* text = R"(graph { %x = input{name="x"} : f64[2,3]
    %a = arg_max{axis=1, keepdims=0}(%x) : i64[2]
    %b = arg_max{axis=1, last=1}(%x) : i64[2,1]
    %c = arg_min{axis=0}(%x) : i64[1,3]
    return %a, %b, %c })";
  const auto out = run(text, {3, 3, 1, 2, kNaN, 1});
  EXPECT_EQ(out[0].integers, (Integers{0, 1}));
  EXPECT_EQ(out[1].integers, (Integers{1, 1}));
  EXPECT_EQ(out[2].integers, (Integers{1, 0, 0}));
}

TEST_F(Procedures, AWhileRepeatsItsBody) {
  const auto out = run(kDoubling, {1.5, -3});
  EXPECT_EQ(out[0].integers, (Integers{5}));
  EXPECT_EQ(out[1].numbers, (Numbers{48, -96}));
  const ir::Graph graph = ir::parse_graph(ctx, kDoubling);
  EXPECT_EQ(ir::print(ir::parse_graph(ctx, ir::print(graph))), ir::print(graph)) << "its text comes back";
}

TEST_F(Procedures, AWhileWithoutEndIsRefused) {
  const char* endless = R"(graph { %x = input{name="x"} : f64[]
    %w = while{condition={
      %v = input{name="v"} : f64[]
      %same = equal(%v, %v) : bool[]
      return %same }, body={
      %v = input{name="v"} : f64[]
      return %v }}(%x) : f64[]
    return %w })";
  EXPECT_THROW(run(endless, {1}), InputError);
  EXPECT_TRUE(std::isnan(run(endless, {kNaN})[0].numbers[0])) << "which is not equal to itself";
}

}  // namespace
}  // namespace isomer::eval_test
