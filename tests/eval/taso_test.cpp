// TENSAT's language by value: convolutions and poolings against loops written from TASO's definition, and the
// two operators on weights by the identities that they exist for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "eval/run_text.h"

namespace isomer::eval_test {
namespace {

class Taso : public testing::Test {
 protected:
  void expect_near(const Tensor<double>& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.numbers.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got.numbers[i], expected[i], 1e-12) << i;
  }
  ir::Context ctx{ir::standard_ops()};
};

int64_t same_count(int64_t in, int64_t stride) { return (in + stride - 1) / stride; }
int64_t same_before(int64_t in, int64_t k, int64_t stride) {
  return std::max<int64_t>((same_count(in, stride) - 1) * stride + k - in, 0) / 2;
}

/// x [1, c, h, w], weight [o, i, kh, kw], stride, padding SAME, in c / i groups.
std::vector<double> convolve_same(const Tensor<double>& x, const Tensor<double>& w, int64_t sh, int64_t sw) {
  const int64_t c = x.sizes[1], h = x.sizes[2], width = x.sizes[3];
  const int64_t outs = w.sizes[0], ins = w.sizes[1], kh = w.sizes[2], kw = w.sizes[3];
  const int64_t per_group = outs / (c / ins);
  std::vector<double> out;
  for (int64_t o = 0; o < outs; ++o)
    for (int64_t y = 0; y < same_count(h, sh); ++y)
      for (int64_t z = 0; z < same_count(width, sw); ++z) {
        double sum = 0;
        for (int64_t i = 0; i < ins; ++i)
          for (int64_t a = 0; a < kh; ++a)
            for (int64_t b = 0; b < kw; ++b) {
              const int64_t row = y * sh + a - same_before(h, kh, sh),
                            column = z * sw + b - same_before(width, kw, sw);
              if (row < 0 || row >= h || column < 0 || column >= width) continue;
              const int64_t channel = o / per_group * ins + i;
              sum += x.numbers[static_cast<size_t>((channel * h + row) * width + column)] *
                     w.numbers[static_cast<size_t>(((o * ins + i) * kh + a) * kw + b)];
            }
        out.push_back(sum);
      }
  return out;
}

TEST_F(Taso, ConvolutionWithSamePaddingAndActivation) {
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,4,7,6]
    %1 = input{name="w"} : f32[6,2,3,2]
    %2 = taso.conv2d{stride_h=2, stride_w=3, padding=0, act=0}(%0, %1) : f32[1,6,4,2]
    %3 = taso.conv2d{stride_h=2, stride_w=3, padding=0, act=2}(%0, %1) : f32[1,6,4,2]
    %4 = taso.conv2d{stride_h=2, stride_w=3, padding=0, act=3}(%0, %1) : f32[1,6,4,2]
    return %2, %3, %4
  })");
  std::vector<double> expected = convolve_same(ran.inputs[0], ran.inputs[1], 2, 3);
  expect_near(ran.outputs[0], expected);
  std::vector<double> relu = expected, tanh = expected;
  for (double& v : relu) v = std::max(v, 0.0);
  for (double& v : tanh) v = std::tanh(v);
  expect_near(ran.outputs[1], relu);
  expect_near(ran.outputs[2], tanh);
}

TEST_F(Taso, ValidPaddingReadsInsideOnly) {
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,1,5,4]
    %1 = taso.poolmax{kernel_h=3, kernel_w=2, stride_h=2, stride_w=2, padding=1, act=0}(%0) : f32[1,1,2,2]
    return %1
  })");
  std::vector<double> expected;
  for (size_t y : {0u, 2u})
    for (size_t z : {0u, 2u}) {
      double most = -10;
      for (size_t a = 0; a < 3; ++a)
        for (size_t b = 0; b < 2; ++b) most = std::max(most, ran.inputs[0].numbers[(y + a) * 4 + z + b]);
      expected.push_back(most);
    }
  expect_near(ran.outputs[0], expected);
}

TEST_F(Taso, AveragesDoNotCountPadding) {
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,1,3,3]
    %1 = taso.poolavg{kernel_h=3, kernel_w=3, stride_h=1, stride_w=1, padding=0, act=0}(%0) : f32[1,1,3,3]
    return %1
  })");
  const std::vector<double>& x = ran.inputs[0].numbers;
  EXPECT_NEAR(ran.outputs[0].numbers[0], (x[0] + x[1] + x[3] + x[4]) / 4, 1e-12);
  EXPECT_NEAR(ran.outputs[0].numbers[5], (x[1] + x[2] + x[4] + x[5] + x[7] + x[8]) / 6, 1e-12);
}

TEST_F(Taso, MergedGroupsConvolveToTheSame) {
  // 8 channels in groups of 2: 4 groups; merged by 2 they are 2 groups of 4.
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,8,4,5]
    %1 = input{name="w"} : f32[12,2,3,3]
    %2 = taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0}(%0, %1) : f32[1,12,4,5]
    %3 = taso.merge{count=2, groups=4}(%1) : f32[12,4,3,3]
    %4 = taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0}(%0, %3) : f32[1,12,4,5]
    %5 = taso.merge{count=4, groups=4}(%1) : f32[12,8,3,3]
    %6 = taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0}(%0, %5) : f32[1,12,4,5]
    return %2, %4, %6
  })");
  expect_near(ran.outputs[0], convolve_same(ran.inputs[0], ran.inputs[1], 1, 1));
  expect_near(ran.outputs[1], ran.outputs[0].numbers);
  expect_near(ran.outputs[2], ran.outputs[0].numbers);
}

TEST_F(Taso, EnlargedKernelConvolvesToTheSame) {
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,2,5,6]
    %1 = input{name="w"} : f32[3,2,1,2]
    %2 = input{name="reference"} : f32[4,2,3,4]
    %3 = taso.enlarge(%1, %2) : f32[3,2,3,4]
    %4 = taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0}(%0, %3) : f32[1,3,5,6]
    return %4
  })");
  expect_near(ran.outputs[0], convolve_same(ran.inputs[0], ran.inputs[1], 1, 1));
}

TEST_F(Taso, SplitUndoesConcat) {
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="a"} : f32[2,3]
    %1 = input{name="b"} : f32[2,4]
    %2 = taso.concat{axis=1, ndim=2}(%0, %1) : f32[2,7]
    %3 = taso.split{axis=1, pos=3}(%2) : (f32[2,3], f32[2,4])
    return %3
  })");
  expect_near(ran.outputs[0], ran.inputs[0].numbers);
  expect_near(ran.outputs[1], ran.inputs[1].numbers);
}

}  // namespace
}  // namespace isomer::eval_test
