// What is found in tensors, whose sizes the values tell.
#include <gtest/gtest.h>

#include "eval/run_text.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

using Integers = std::vector<int64_t>;
using Sizes = std::vector<int64_t>;

class Found : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  std::vector<Tensor<double>> run(const std::string& text, std::vector<Tensor<double>> in) {
    const ir::Graph graph = ir::parse_graph(ctx, text);
    std::vector<Value<double>> values;
    for (Tensor<double>& t : in) values.push_back(eval::make_value(std::move(t)));
    eval::Float64 domain;
    std::vector<Tensor<double>> out;
    for (const auto& value : eval::evaluate(domain, graph, std::span<const Value<double>>(values))) {
      if (value.tensor) out.push_back(*value.tensor);
      for (const auto& e : value.elements) out.push_back(*e.tensor);
    }
    return out;
  }
};

TEST_F(Found, PlacesOfWhatIsNotZero) {
  const std::string text = R"(graph { %x = input{name="x"} : f32[2,3]
    %y = non_zero(%x) : i64[2,?]
    return %y })";
  const auto some = run(text, {{ir::DType::kF32, {2, 3}, {0, 2, 0, -1, 0, 3}, {}}});
  EXPECT_EQ(some[0].sizes, (Sizes{2, 3}));
  EXPECT_EQ(some[0].integers, (Integers{0, 1, 1, 1, 0, 2}));
  EXPECT_EQ(run(text, {{ir::DType::kF32, {2, 3}, {0, 0, 0, 0, 0, 0}, {}}})[0].sizes, (Sizes{2, 0}));
}

TEST_F(Found, DifferentElementsAndWhereTheyAre) {
  const auto text = [](int sorted) {
    return std::string(R"(graph { %x = input{name="x"} : i64[6]
      %y = unique{sorted=)") +
           std::to_string(sorted) + R"(}(%x) : (i64[?], i64[?], i64[6], i64[?])
      return %y })";
  };
  const Tensor<double> x{ir::DType::kI64, {6}, {}, {2, 1, 1, 3, 4, 3}};
  const auto up = run(text(1), {x});
  EXPECT_EQ(up[0].integers, (Integers{1, 2, 3, 4}));
  EXPECT_EQ(up[1].integers, (Integers{1, 0, 3, 4}));
  EXPECT_EQ(up[2].integers, (Integers{1, 0, 0, 2, 3, 2}));
  EXPECT_EQ(up[3].integers, (Integers{2, 1, 2, 1}));
  const auto as_given = run(text(0), {x});
  EXPECT_EQ(as_given[0].integers, (Integers{2, 1, 3, 4}));
  EXPECT_EQ(as_given[2].integers, (Integers{0, 1, 1, 2, 3, 2}));
}

TEST_F(Found, DifferentColumns) {
  const auto out = run(R"(graph { %x = input{name="x"} : i64[2,3]
    %y = unique{axis=1}(%x) : (i64[2,?], i64[?], i64[3], i64[?])
    return %y })",
                       {{ir::DType::kI64, {2, 3}, {}, {5, 1, 5, 0, 7, 0}}});
  EXPECT_EQ(out[0].sizes, (Sizes{2, 2}));
  EXPECT_EQ(out[0].integers, (Integers{1, 5, 7, 0}));
  EXPECT_EQ(out[2].integers, (Integers{1, 0, 1}));
}

TEST_F(Found, BoxesThatDoNotOverlapBetterOnes) {
  const auto text = [](const std::string& attrs) {
    return R"(graph { %b = input{name="b"} : f32[1,3,4]
      %s = input{name="s"} : f32[1,1,3]
      %y = non_max_suppression{)" +
           attrs + R"(}(%b, %s) : i64[?,3]
      return %y })";
  };
  // the second lies almost on the first, whose corners are the other way round; the third is apart
  const std::vector<Tensor<double>> in = {
      {ir::DType::kF32, {1, 3, 4}, {2, 2, 0, 0, 0, 0, 2, 1.75, 5, 5, 6, 6}, {}},
      {ir::DType::kF32, {1, 1, 3}, {0.5, 0.75, 0.25}, {}}};
  EXPECT_EQ(run(text("most=3, overlap=0.5"), in)[0].integers, (Integers{0, 0, 1, 0, 0, 2}));
  EXPECT_EQ(run(text("most=3, overlap=0.9"), in)[0].integers, (Integers{0, 0, 1, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(run(text("most=1, overlap=0.5"), in)[0].sizes, (Sizes{1, 3}));
  EXPECT_EQ(run(text("most=3, overlap=0.5, least=0.3"), in)[0].integers, (Integers{0, 0, 1}));
  EXPECT_EQ(run(text("most=0, overlap=0.5"), in)[0].sizes, (Sizes{0, 3}));
  EXPECT_EQ(run(text("most=-1, overlap=0.5"), in)[0].sizes, (Sizes{0, 3}));
}

TEST_F(Found, RunsWithGaps) {
  const auto text = [](int skips) {
    return R"(graph { %x = input{name="x"} : i64[5]
      %y = count_ngrams{least=1, most=2, skips=)" +
           std::to_string(skips) + R"(, starts=[0,1], pool=[7,1,3], columns=[2,0]}(%x) : i64[3]
      return %y })";
  };
  const Tensor<double> x{ir::DType::kI64, {5}, {}, {1, 3, 7, 1, 7}};
  EXPECT_EQ(run(text(0), {x})[0].integers, (Integers{1, 0, 2}));
  const Tensor<double> apart{ir::DType::kI64, {5}, {}, {1, 7, 3, 1, 3}};
  EXPECT_EQ(run(text(0), {apart})[0].integers, (Integers{1, 0, 1}));
  EXPECT_EQ(run(text(1), {apart})[0].integers, (Integers{2, 0, 1}));
}

TEST_F(Found, ALoopThatDoesNotEndIsAnError) {
  const std::string text = R"(graph { %g = input{name="g"} : bool[]
    %x = input{name="x"} : i64[]
    %y = loop{region={
      %i = input{name="i"} : i64[]
      %c = input{name="c"} : bool[]
      %s = input{name="s"} : i64[]
      %t = add(%s, %i) : i64[]
      return %c, %t
    }, given=[1], states=1, trips=-1}(%g, %x) : i64[]
    return %y })";
  EXPECT_THROW(run(text, {{ir::DType::kBool, {}, {}, {1}}, {ir::DType::kI64, {}, {}, {0}}}), InputError);
}

TEST_F(Found, WhatFollowsKnowsNoSizes) {
  EXPECT_THROW(run(R"(graph { %x = input{name="x"} : f32[3]
    %y = non_zero(%x) : i64[1,?]
    %z = neg(%y) : i64[1,?]
    return %z })",
                   {{ir::DType::kF32, {3}, {0, 1, 2}, {}}}),
               InputError);
}

}  // namespace
}  // namespace isomer::eval_test
