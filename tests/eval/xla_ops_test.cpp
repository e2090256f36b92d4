// What XLA's own operators mean, against numbers written out by hand; of those that HLO modules are read into
// (formats/hlo_graph.h) tests/formats/hlo_values.py asks XLA itself.
#include <gtest/gtest.h>

#include "eval/run_text.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

using Numbers = std::vector<double>;
using Integers = std::vector<int64_t>;

class XlaOperators : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  /// Of inputs that count up from 1, floats and integers alike; `starts` is the last one, if there is one.
  Tensor<double> run(const std::string& text, const Integers& starts = {}) {
    const ir::Graph graph = ir::parse_graph(ctx, text);
    std::vector<Value<double>> values;
    double next = 1;
    for (const ir::ValueId v : graph.inputs()) {
      const ir::Type& type = graph.type(v);
      Tensor<double> t{type.dtype, ir::sizes(type.shape), {}, {}};
      const bool last = !starts.empty() && v == graph.inputs().back();
      for (int64_t i = 0; i < t.count(); ++i) {
        if (last)
          t.integers.push_back(starts[static_cast<size_t>(i)]);
        else
          t.numbers.push_back(next++);
      }
      values.push_back(eval::make_value(std::move(t)));
    }
    eval::Float64 domain;
    return *eval::evaluate(domain, graph, std::span<const Value<double>>(values))[0].tensor;
  }
};

TEST_F(XlaOperators, IotaWraps) {
  EXPECT_EQ(run("graph {\n %0 = iota{shape=[2,3],axis=1,to=i64} : i64[2,3]\n return %0 }").integers,
            (Integers{0, 1, 2, 0, 1, 2}));
  const Integers wrapped =
      run("graph {\n %0 = iota{shape=[130],axis=0,to=i8} : i8[130]\n return %0 }").integers;
  EXPECT_EQ(wrapped[127], 127);
  EXPECT_EQ(wrapped[129], -127);
}

TEST_F(XlaOperators, BroadcastsGoWhereTheySay) {
  EXPECT_EQ(run("graph {\n %0 = input{name=\"x\"} : f32[2]\n"
                " %1 = broadcast_in_dim{axes=[1],shape=[2,2,2]}(%0) : f32[2,2,2]\n return %1 }")
                .numbers,
            (Numbers{1, 1, 2, 2, 1, 1, 2, 2}));
}

TEST_F(XlaOperators, ReverseTurnsItsAxes) {
  EXPECT_EQ(
      run("graph {\n %0 = input{name=\"x\"} : f32[2,3]\n %1 = reverse{axes=[1]}(%0) : f32[2,3]\n return %1 }")
          .numbers,
      (Numbers{3, 2, 1, 6, 5, 4}));
}

TEST_F(XlaOperators, StartsAreClamped) {
  const std::string sliced =
      "graph {\n %0 = input{name=\"x\"} : f32[3,3]\n %1 = input{name=\"s\"} : i32[2]\n"
      " %2 = dynamic_slice{sizes=[2,1]}(%0, %1) : f32[2,1]\n return %2 }";
  EXPECT_EQ(run(sliced, {1, 1}).numbers, (Numbers{5, 8}));
  EXPECT_EQ(run(sliced, {9, -9}).numbers, (Numbers{4, 7}));
  const std::string updated =
      "graph {\n %0 = input{name=\"x\"} : f32[2,3]\n %1 = input{name=\"u\"} : f32[1,2]\n %2 = "
      "input{name=\"s\"} : i64[2]\n"
      " %3 = dynamic_update_slice(%0, %1, %2) : f32[2,3]\n return %3 }";
  EXPECT_EQ(run(updated, {0, 0}).numbers, (Numbers{7, 8, 3, 4, 5, 6}));
  EXPECT_EQ(run(updated, {5, 2}).numbers, (Numbers{1, 2, 3, 4, 7, 8}));
}

TEST_F(XlaOperators, PadsGoBetweenAndCut) {
  const std::string text =
      "graph {\n %0 = input{name=\"x\"} : f32[3]\n %1 = input{name=\"v\"} : f32[]\n"
      " %2 = dilated_pad{pads=[1,-1],interior=[2]}(%0, %1) : f32[7]\n return %2 }";
  EXPECT_EQ(run(text).numbers, (Numbers{4, 1, 4, 4, 2, 4, 4}));
}

TEST_F(XlaOperators, DotsHaveAnyNumberOfDimensions) {
  // [2, 1, 2, 1] times [2, 2, 1, 2]: batch 1, contracted [2, 1].
  EXPECT_EQ(run("graph {\n %0 = input{name=\"a\"} : f32[2,1,2,1]\n %1 = input{name=\"b\"} : f32[2,2,1,2]\n"
                " %2 = dot_general{batch=1,contract=2}(%0, %1) : f32[2,1,2]\n return %2 }")
                .numbers,
            (Numbers{1 * 5 + 2 * 7, 1 * 6 + 2 * 8, 3 * 9 + 4 * 11, 3 * 10 + 4 * 12}));
}

TEST_F(XlaOperators, GapsAreLeftOutOfTheSum) {
  // 1 _ 2 with one more before, two taps that lie two apart.
  EXPECT_EQ(run("graph {\n %0 = input{name=\"x\"} : f32[1,1,2]\n %1 = input{name=\"w\"} : f32[1,1,2]\n"
                " %2 = dilated_conv{strides=[1],dilations=[2],input_dilations=[2],pads=[1,0]}(%0, %1) : "
                "f32[1,1,2]\n"
                " return %2 }")
                .numbers,
            (Numbers{0, 1 * 3 + 2 * 4}));
  EXPECT_EQ(run("graph {\n %0 = input{name=\"x\"} : f32[1,2]\n %1 = input{name=\"w\"} : f32[2,2]\n"
                " %2 = dilated_conv{strides=[],dilations=[],input_dilations=[],pads=[]}(%0, %1) : f32[1,2]\n "
                "return %2 }")
                .numbers,
            (Numbers{1 * 3 + 2 * 4, 1 * 5 + 2 * 6}));
}

TEST_F(XlaOperators, WhatDoesNotFitIsSaid) {
  const auto refused = [&](const std::string& text) {
    try {
      ir::parse_graph(ctx, text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("graph {\n %0 = input{name=\"x\"} : f32[3]\n %1 = input{name=\"s\"} : i32[1]\n"
                    " %2 = dynamic_slice{sizes=[4]}(%0, %1) : f32[4]\n return %2 }")
                .find("expected at most the 3 elements of dimension 0, got 4"),
            std::string::npos);
  EXPECT_NE(refused("graph {\n %0 = iota{shape=[2],axis=0,to=f32} : f32[2]\n return %0 }")
                .find("expected a type of integers, got f32"),
            std::string::npos);
  EXPECT_NE(refused("graph {\n %0 = input{name=\"x\"} : f32[2]\n"
                    " %1 = broadcast_in_dim{axes=[0],shape=[3]}(%0) : f32[3]\n return %1 }")
                .find("expected the sizes of [2]"),
            std::string::npos);
}

}  // namespace
}  // namespace isomer::eval_test
