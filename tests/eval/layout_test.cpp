// Operators in other data layouts: conversions put elements where an index calculation of our own says, and
// what computes in a layout is the usual operator between conversions.
#include <gtest/gtest.h>

#include "eval/run_text.h"

namespace isomer::eval_test {
namespace {

class Layout : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};
};

TEST_F(Layout, ConversionsPutChannelsLastOrInBlocks) {
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[2,6,3,4]
    %1 = layout.to{block=0}(%0) : f32[2,3,4,6]
    %2 = layout.to{block=2}(%0) : f32[2,3,3,4,2]
    %3 = layout.from{block=0}(%1) : f32[2,6,3,4]
    %4 = layout.from{block=2}(%2) : f32[2,6,3,4]
    return %1, %2, %3, %4
  })");
  const std::vector<double>& x = ran.inputs[0].numbers;
  size_t seen = 0;
  for (size_t n = 0; n < 2; ++n)
    for (size_t c = 0; c < 6; ++c)
      for (size_t h = 0; h < 3; ++h)
        for (size_t w = 0; w < 4; ++w, ++seen) {
          const double value = x[((n * 6 + c) * 3 + h) * 4 + w];
          EXPECT_EQ(ran.outputs[0].numbers[((n * 3 + h) * 4 + w) * 6 + c], value);
          EXPECT_EQ(ran.outputs[1].numbers[(((n * 3 + c / 2) * 3 + h) * 4 + w) * 2 + c % 2], value);
        }
  EXPECT_EQ(seen, x.size());
  EXPECT_EQ(ran.outputs[2].numbers, x);
  EXPECT_EQ(ran.outputs[3].numbers, x);
}

TEST_F(Layout, ConvolutionsAndPoolsComputeTheSameInAnyLayout) {
  const Ran ran = run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,4,7,6]
    %1 = input{name="w"} : f32[6,2,3,2]
    %2 = conv{strides=[2,1], dilations=[1,1], pads=[1,0,1,1], group=2}(%0, %1) : f32[1,6,4,6]
    %3 = layout.to{block=0}(%0) : f32[1,7,6,4]
    %4 = layout.conv{strides=[2,1], dilations=[1,1], pads=[1,0,1,1], group=2, block=0}(%3, %1) : f32[1,4,6,6]
    %5 = layout.from{block=0}(%4) : f32[1,6,4,6]
    %6 = layout.to{block=2}(%0) : f32[1,2,7,6,2]
    %7 = layout.conv{strides=[2,1], dilations=[1,1], pads=[1,0,1,1], group=2, block=2}(%6, %1) : f32[1,3,4,6,2]
    %8 = layout.from{block=2}(%7) : f32[1,6,4,6]
    %9 = taso.poolmax{kernel_h=2, kernel_w=3, stride_h=2, stride_w=1, padding=0, act=2}(%0) : f32[1,4,4,6]
    %10 = layout.taso.poolmax{kernel_h=2, kernel_w=3, stride_h=2, stride_w=1, padding=0, act=2, block=0}(%3) : f32[1,4,6,4]
    %11 = layout.from{block=0}(%10) : f32[1,4,4,6]
    return %2, %5, %8, %9, %11
  })");
  EXPECT_EQ(ran.outputs[1].numbers, ran.outputs[0].numbers);
  EXPECT_EQ(ran.outputs[2].numbers, ran.outputs[0].numbers);
  EXPECT_EQ(ran.outputs[4].numbers, ran.outputs[3].numbers);
}

TEST_F(Layout, BlocksMustDivideTheChannels) {
  EXPECT_ANY_THROW(run_text(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,6,2,2]
    %1 = layout.to{block=4}(%0) : f32[1,2,2,2,4]
    return %1
  })"));
}

}  // namespace
}  // namespace isomer::eval_test
