// The meanings of the operators that the design was to be proved on, against plain loops written here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "eval/run_text.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

class Meaning : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  void expect_near(const std::vector<double>& expected, const Tensor<double>& actual,
                   double tolerance = 1e-12) {
    ASSERT_EQ(expected.size(), actual.numbers.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(expected[i], actual.numbers[i], tolerance) << "element " << i;
  }
};

TEST_F(Meaning, Matmul) {
  const Ran r = run_text(ctx, R"(graph {
    %a = input{name="a"} : f32[2,3,4]
    %b = input{name="b"} : f32[2,4,5]
    %c = matmul(%a, %b) : f32[2,3,5]
    return %c })");
  std::vector<double> expected;
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) {
        double sum = 0;
        for (int k = 0; k < 4; ++k)
          sum += r.inputs[0].numbers[n * 12 + i * 4 + k] * r.inputs[1].numbers[n * 20 + k * 5 + j];
        expected.push_back(sum);
      }
  expect_near(expected, r.outputs[0]);
}

TEST_F(Meaning, GroupedConvolution) {
  const Ran r = run_text(ctx, R"(graph {
    %x = input{name="x"} : f32[2,4,5,6]
    %w = input{name="w"} : f32[6,2,3,2]
    %b = input{name="b"} : f32[6]
    %y = conv{strides=[2,1], dilations=[1,2], pads=[1,0,2,1], group=2}(%x, %w, %b) : f32[2,6,3,5]
    return %y })");
  const auto& x = r.inputs[0].numbers;
  const auto& w = r.inputs[1].numbers;
  std::vector<double> expected;
  for (int n = 0; n < 2; ++n)
    for (int o = 0; o < 6; ++o)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 5; ++j) {
          double sum = r.inputs[2].numbers[o];
          for (int c = 0; c < 2; ++c)
            for (int p = 0; p < 3; ++p)
              for (int q = 0; q < 2; ++q) {
                const int row = i * 2 + p - 1, column = j + q * 2, channel = o / 3 * 2 + c;
                if (row < 0 || row >= 5 || column >= 6) continue;
                sum += x[((n * 4 + channel) * 5 + row) * 6 + column] * w[((o * 2 + c) * 3 + p) * 2 + q];
              }
          expected.push_back(sum);
        }
  expect_near(expected, r.outputs[0]);
}

TEST_F(Meaning, ConvolutionsWithoutOutputs) {
  const Ran r = run_text(ctx, R"(graph {
    %x = input{name="x"} : f32[1,4,5,5]
    %w = input{name="w"} : f32[0,2,3,3]
    %v = input{name="v"} : f32[4,0,3,3]
    %y = conv{strides=[1,1], dilations=[1,1], pads=[0,0,0,0], group=2}(%x, %w) : f32[1,0,3,3]
    %z = conv_transpose{strides=[1,1], dilations=[1,1], pads=[0,0,0,0], output_padding=[0,0], group=2}(%x, %v) : f32[1,0,7,7]
    return %y, %z })");
  EXPECT_TRUE(r.outputs[0].numbers.empty());
  EXPECT_TRUE(r.outputs[1].numbers.empty());
}

TEST_F(Meaning, Pooling) {
  const Ran r = run_text(ctx, R"(graph {
    %x = input{name="x"} : f32[1,2,5,5]
    %m = max_pool{kernel=[3,3], strides=[2,2], dilations=[1,1], pads=[1,1,1,1], ceil_mode=0}(%x) : f32[1,2,3,3]
    %a = avg_pool{kernel=[3,3], strides=[2,2], dilations=[1,1], pads=[1,1,1,1], ceil_mode=0, count_include_pad=0}(%x) : f32[1,2,3,3]
    return %m, %a })");
  std::vector<double> largest, mean;
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double best = -1e9, sum = 0;
        int count = 0;
        for (int p = i * 2 - 1; p <= i * 2 + 1; ++p)
          for (int q = j * 2 - 1; q <= j * 2 + 1; ++q) {
            if (p < 0 || q < 0 || p >= 5 || q >= 5) continue;
            const double v = r.inputs[0].numbers[c * 25 + p * 5 + q];
            best = std::max(best, v);
            sum += v;
            ++count;
          }
        largest.push_back(best);
        mean.push_back(sum / count);
      }
  expect_near(largest, r.outputs[0]);
  expect_near(mean, r.outputs[1]);
}

TEST_F(Meaning, ConcatAndSplit) {
  const Ran r = run_text(ctx, R"(graph {
    %a = input{name="a"} : f32[2,1,3]
    %b = input{name="b"} : f32[2,4,3]
    %c = concat{axis=1}(%a, %b) : f32[2,5,3]
    %s = split{axis=1, sizes=[2,3]}(%c) : (f32[2,2,3], f32[2,3,3])
    return %c, %s })");
  const auto at = [&](int n, int i, int j) {
    return i == 0 ? r.inputs[0].numbers[n * 3 + j] : r.inputs[1].numbers[(n * 4 + i - 1) * 3 + j];
  };
  std::vector<double> all, first, second;
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 3; ++j) {
        all.push_back(at(n, i, j));
        (i < 2 ? first : second).push_back(at(n, i, j));
      }
  expect_near(all, r.outputs[0], 0);
  expect_near(first, r.outputs[1], 0);
  expect_near(second, r.outputs[2], 0);
}

TEST_F(Meaning, SoftmaxAndLayerNorm) {
  const Ran r = run_text(ctx, R"(graph {
    %x = input{name="x"} : f32[3,8]
    %s = input{name="s"} : f32[8]
    %b = input{name="b"} : f32[8]
    %p = softmax{axis=1}(%x) : f32[3,8]
    %n = layer_norm{axis=1, epsilon=1e-05}(%x, %s, %b) : f32[3,8]
    return %p, %n })");
  const auto& x = r.inputs[0].numbers;
  std::vector<double> probability, normal;
  for (int i = 0; i < 3; ++i) {
    double sum = 0, mean = 0, variance = 0;
    for (int j = 0; j < 8; ++j) sum += std::exp(x[i * 8 + j]), mean += x[i * 8 + j] / 8;
    for (int j = 0; j < 8; ++j) variance += (x[i * 8 + j] - mean) * (x[i * 8 + j] - mean) / 8;
    for (int j = 0; j < 8; ++j) {
      probability.push_back(std::exp(x[i * 8 + j]) / sum);
      normal.push_back((x[i * 8 + j] - mean) / std::sqrt(variance + 1e-5) * r.inputs[1].numbers[j] +
                       r.inputs[2].numbers[j]);
    }
  }
  expect_near(probability, r.outputs[0]);
  expect_near(normal, r.outputs[1], 1e-11);
}

TEST_F(Meaning, Gather) {
  const std::string text = R"(graph {
    %x = input{name="x"} : f32[2,3,4]
    %i = input{name="i"} : i64[2,2]
    %y = gather{axis=1}(%x, %i) : f32[2,2,2,4] "rows"
    return %y })";
  const Ran r = run_text(ctx, text);
  std::vector<double> expected;
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k)
        expected.push_back(r.inputs[0].numbers[(n * 3 + r.inputs[1].integers[i]) * 4 + k]);
  expect_near(expected, r.outputs[0], 0);

  try {
    run_text(ctx, text, 1, 1000);
    FAIL() << "an index out of bounds was read";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("node 'rows' (gather): reads element ["), std::string::npos)
        << e.what();
  }
}

TEST_F(Meaning, NegativeIndicesCountFromTheEnd) {
  const Ran r = run_text(ctx, R"(graph {
    %x = input{name="x"} : f32[3]
    %i = constant : i64[2] {-1, 0}
    %y = gather{axis=0}(%x, %i) : f32[2]
    return %y })");
  expect_near({r.inputs[0].numbers[2], r.inputs[0].numbers[0]}, r.outputs[0], 0);
}

TEST_F(Meaning, CallsRunTheirRegion) {
  const Ran r = run_text(ctx, R"(graph {
    %x = input{name="x"} : f32[2]
    %y = call{region={
      %0 = input{name="p"} : f32[2]
      %1 = add(%0, %0) : f32[2]
      %2 = mul(%1, %0) : f32[2]
      return %1, %2
    }}(%x) : (f32[2], f32[2])
    return %y })");
  const double a = r.inputs[0].numbers[0], b = r.inputs[0].numbers[1];
  expect_near({2 * a, 2 * b}, r.outputs[0], 0);
  expect_near({2 * a * a, 2 * b * b}, r.outputs[1], 0);
}

TEST_F(Meaning, WhatHasNoMeaningIsNamed) {
  try {
    run_text(ctx, R"(graph {
      %x = input{name="x"} : f32[2]
      %y = opaque{format="onnx", op="Mystery", body=""}(%x) : f32[2] "riddle"
      return %y })");
    FAIL() << "an opaque operator was evaluated";
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              "node 'riddle' (opaque): no meaning that can be evaluated at type f32[2]");
  }
}

}  // namespace
}  // namespace isomer::eval_test
