// Type rules: what each family accepts, with symbolic sizes, and what it says when it refuses.
#include "ir/op_case.h"

namespace isomer::ir {
namespace {

class OpTypes : public OpCase {};

TEST_F(OpTypes, PointwiseNeedsEqualShapesAndElements) {
  EXPECT_EQ(type_of("relu", {"f32[2,N]"}), "f32[2,N]");
  EXPECT_EQ(type_of("add", {"f32[2,N]", "f32[2,N]"}), "f32[2,N]");
  EXPECT_EQ(type_of("less", {"i64[3]", "i64[3]"}), "bool[3]");
  EXPECT_EQ(type_of("where", {"bool[3]", "f16[3]", "f16[3]"}), "f16[3]");
  EXPECT_EQ(type_of("add", {"f32[2,N]", "f32[2,M]"}),
            "error: add: expected operands of one shape, got [2,N] and [2,M]");
  EXPECT_EQ(type_of("add", {"f32[2,1]", "f32[2,3]"}),
            "error: add: expected operands of one shape, got [2,1] and [2,3]");
  EXPECT_EQ(type_of("add", {"f32[2]", "f16[2]"}),
            "error: add: operand 1: expected f32 as operand 0 has, got f16");
  EXPECT_EQ(type_of("relu", {"f32[?]"}),
            "error: relu: operand 0: expected a tensor of known rank and sizes, got f32[?]");
  EXPECT_EQ(type_of("exp", {"i32[2]"}), "error: exp: operand 0: expected floats, got i32");
  EXPECT_EQ(type_of("and", {"i32[2]", "i32[2]"}), "error: and: operand 0: expected bool, got i32");
  EXPECT_EQ(type_of("div", {"u64[2]", "u64[2]"}), "u64[2]");
  EXPECT_EQ(type_of("prelu", {"u64[2]", "u64[2]"}),
            "error: prelu: operand 0: expected floats or integers other than u64, got u64");
  EXPECT_EQ(type_of("mod", {"f32[2]", "f32[2]"}), "f32[2]");
  EXPECT_EQ(type_of("mod", {"f32[2]", "f32[2]"}, {{"fmod", int64_t{2}}}),
            "error: mod: expected fmod 0 or 1, got 2");
  EXPECT_EQ(type_of("mod", {"f32[2]", "f32[2]"}, {{"fmod", int64_t{1}}}), "f32[2]");
  EXPECT_EQ(type_of("gelu", {"f32[2]"}, {{"approximate", std::string("erf")}}),
            "error: gelu: expected approximate none or tanh, got erf");
  EXPECT_EQ(type_of("cast", {"f32[2]"}, {{"to", static_cast<int64_t>(DType::kI8)}}), "i8[2]");
  EXPECT_EQ(type_of("cast", {"f32[2]"}, {{"to", static_cast<int64_t>(DType::kString)}}),
            "error: cast: expected floats, integers or bool, got string");
  EXPECT_EQ(type_of("clip", {"u32[2]"}, {{"min", -1.0}}),
            "error: clip: expected min among the values of u32, got -1");
  EXPECT_EQ(type_of("clip", {"f32[2]"}, {{"min", -1.5}}), "f32[2]");
  EXPECT_EQ(type_of("clip", {"f16[2]"}, {{"max", 255.99}}),
            "error: clip: expected max among the values of f16, got 255.99");
  EXPECT_EQ(type_of("clip", {"f16[2]"}, {{"max", 255.875}}), "f16[2]");
  EXPECT_EQ(type_of("clip", {"bf16[2]"}, {{"min", -std::numeric_limits<double>::infinity()}}), "bf16[2]");
  EXPECT_EQ(type_of("cast", {"f32[2]"}, {{"to", static_cast<int64_t>(DType::kU4)}}), "u4[2]");
  EXPECT_EQ(type_of("bit_shift", {"i32[2]", "i32[2]"}, {{"direction", std::string("LEFT")}}), "i32[2]");
  EXPECT_EQ(type_of("bit_shift", {"f32[2]", "f32[2]"}, {{"direction", std::string("LEFT")}}),
            "error: bit_shift: operand 0: expected integers, got f32");
}

TEST_F(OpTypes, WhatSortsNeedsALineAndANumberOfIt) {
  const NamedAttr axis{"axis", int64_t{1}};
  EXPECT_EQ(type_of("top_k", {"f16[N,5]"}, {axis, {"k", int64_t{2}}}), "(f16[N,2], i64[N,2])");
  EXPECT_EQ(type_of("top_k", {"f16[2,N]"}, {axis, {"k", int64_t{2}}}), "(f16[2,2], i64[2,2])");
  EXPECT_EQ(type_of("top_k", {"f16[2,5]"}, {axis, {"k", int64_t{6}}}),
            "error: top_k: expected at least 6 elements along dimension 1, got 5");
  EXPECT_EQ(type_of("top_k", {"f16[2,5]"}, {axis, {"k", int64_t{-1}}}),
            "error: top_k: expected a k of at least 0, got -1");
  EXPECT_EQ(type_of("arg_max", {"i8[2,N]"}, {axis}), "i64[2,1]");
  EXPECT_EQ(type_of("arg_min", {"f32[2,3]"}, {axis, {"keepdims", int64_t{0}}}), "i64[2]");
  EXPECT_EQ(type_of("arg_max", {"f32[2,0]"}, {axis}),
            "error: arg_max: expected at least 1 elements along dimension 1, got 0");
  EXPECT_EQ(type_of("arg_max", {"bool[2,3]"}, {axis}),
            "error: arg_max: operand 0: expected floats or integers, got bool");
}

TEST_F(OpTypes, MatmulTakesEqualBatchesOrOneSharedMatrix) {
  EXPECT_EQ(type_of("matmul", {"f32[B,S,4]", "f32[4,5]"}), "f32[B,S,5]");
  EXPECT_EQ(type_of("matmul", {"f32[3,4]", "f32[B,4,5]"}), "f32[B,3,5]");
  EXPECT_EQ(type_of("matmul", {"f32[2,B,3,4]", "f32[2,B,4,5]"}), "f32[2,B,3,5]");
  EXPECT_EQ(type_of("matmul", {"f32[2,3,4]", "f32[1,4,5]"}),
            "error: matmul: expected equal batch dimensions, got [2,3,4] and [1,4,5]");
  EXPECT_EQ(type_of("matmul", {"f32[3,4]", "f32[5,4]"}),
            "error: matmul: expected equal inner dimensions, got [3,4] and [5,4]");
  EXPECT_EQ(type_of("matmul", {"f32[4]", "f32[4,5]"}),
            "error: matmul: expected operands of rank 2 or more, got [4] and [4,5]");
  EXPECT_EQ(type_of("gemm", {"f32[4,N]", "f32[5,4]", "f32[N,5]"},
                    {{"trans_a", int64_t{1}}, {"trans_b", int64_t{1}}}),
            "f32[N,5]");
  EXPECT_EQ(type_of("gemm", {"f32[3,4]", "f32[4,5]", "f32[1,5]"}),
            "error: gemm: operand 2: expected shape [3,5], got [1,5]");
}

std::vector<NamedAttr> conv(int64_t stride, int64_t pad, int64_t group) {
  using Ints = std::vector<int64_t>;
  return {{"strides", Ints{stride, stride}},
          {"dilations", Ints{1, 1}},
          {"pads", Ints{pad, pad, pad, pad}},
          {"group", group}};
}

TEST_F(OpTypes, ConvolutionSizes) {
  EXPECT_EQ(type_of("conv", {"f32[N,4,7,8]", "f32[6,2,3,3]"}, conv(2, 1, 2)), "f32[N,6,4,4]");
  EXPECT_EQ(type_of("conv", {"f32[N,4,H,W]", "f32[6,4,3,3]", "f32[6]"}, conv(1, 1, 1)), "f32[N,6,H,W]");
  EXPECT_EQ(type_of("conv", {"f32[N,4,H,8]", "f32[6,4,3,3]"}, conv(2, 1, 1)), "f32[N,6,((H+1)/2),4]");
  EXPECT_EQ(type_of("conv", {"f32[1,4,7,7]", "f32[6,4,3,3]"}, conv(1, 0, 2)),
            "error: conv: expected channels = 2 groups of 4, got 4");
  EXPECT_EQ(type_of("conv", {"f32[1,4,7,7]", "f32[5,2,3,3]"}, conv(1, 0, 2)),
            "error: conv: expected output channels that 2 groups divide, got 5");
  EXPECT_EQ(type_of("conv", {"f32[1,4,2,7]", "f32[6,4,3,3]"}, conv(1, 0, 1)),
            "error: conv: spatial dimension 0: a window of 3 does not fit into 2");
  EXPECT_EQ(type_of("conv", {"f32[1,4,7]", "f32[6,4,3,3]"}, conv(1, 0, 1)),
            "error: conv: operand 1: expected rank 3, got f32[6,4,3,3]");
  EXPECT_EQ(type_of("conv", {"f32[1,4,7,7]", "f32[6,4,3,3]"}, conv(0, 0, 1)),
            "error: conv: expected strides of 1 to 2^28, got 0");
  EXPECT_EQ(type_of("conv", {"f32[1,4,7,7]", "f32[6,4,3,3]", "f32[1]"}, conv(1, 0, 1)),
            "error: conv: operand 2: expected shape [6], got [1]");
  auto up = conv(2, 1, 2);
  up.push_back({"output_padding", Ints{1, 0}});
  EXPECT_EQ(type_of("conv_transpose", {"f32[N,4,5,5]", "f32[4,3,3,3]"}, up), "f32[N,6,10,9]");
}

TEST_F(OpTypes, PoolingRoundsDownOrUp) {
  const auto attrs = [](int64_t pad, int64_t ceil) {
    return std::vector<NamedAttr>{{"kernel", Ints{2, 2}},
                                  {"strides", Ints{2, 2}},
                                  {"dilations", Ints{1, 1}},
                                  {"pads", Ints{pad, pad, pad, pad}},
                                  {"ceil_mode", ceil}};
  };
  EXPECT_EQ(type_of("max_pool", {"f32[N,3,5,6]"}, attrs(0, 0)), "f32[N,3,2,3]");
  EXPECT_EQ(type_of("max_pool", {"f32[N,3,5,6]"}, attrs(0, 1)), "f32[N,3,3,3]");
  // 5 + 2 of padding: windows start at -1, 1, 3 and, rounding up, 5, which is beyond the input
  EXPECT_EQ(type_of("avg_pool", {"f32[N,3,5,6]"}, attrs(1, 1)), "f32[N,3,3,4]");
  EXPECT_EQ(type_of("max_pool", {"f32[N,3,5,6]"}, attrs(2, 0)),
            "error: max_pool: spatial dimension 0: expected pads below the window's extent 2");
  EXPECT_EQ(type_of("max_pool", {"i32[N,3,5,6]"}, attrs(0, 0)),
            "error: max_pool: operand 0: expected floats, i8 or u8, got i32");
  EXPECT_EQ(type_of("global_avg_pool", {"f32[N,C,H,W]"}), "f32[N,C,1,1]");
}

TEST_F(OpTypes, Reductions) {
  EXPECT_EQ(type_of("reduce_sum", {"f32[N,3,4]"}, {{"axes", Ints{0, 2}}}), "f32[1,3,1]");
  EXPECT_EQ(type_of("reduce_max", {"i32[N,3,4]"}, {{"axes", Ints{0, 2}}, {"keepdims", int64_t{0}}}),
            "i32[3]");
  EXPECT_EQ(type_of("reduce_sum", {"f32[N,3]"}, {{"axes", Ints{2}}}),
            "error: reduce_sum: expected an axis in [0, 2), got 2");
  EXPECT_EQ(type_of("reduce_sum", {"f32[N,3]"}, {{"axes", Ints{1, 1}}}),
            "error: reduce_sum: expected axes in rising order, got [1,1]");
  EXPECT_EQ(type_of("reduce_sum", {"f32[N,3]"}), "error: reduce_sum: attribute axes is missing");
}

TEST_F(OpTypes, MovementKeepsCountOfElements) {
  EXPECT_EQ(type_of("broadcast", {"f32[3,1]"}, {{"shape", parse_shape(ctx, "[N,3,4]")}}), "f32[N,3,4]");
  EXPECT_EQ(type_of("broadcast", {"f32[3]"}, {{"shape", parse_shape(ctx, "[3,1]")}}),
            "error: broadcast: expected a shape that broadcasts to [3,1], got [3]");
  EXPECT_EQ(type_of("reshape", {"f32[N,6]"}, {{"shape", parse_shape(ctx, "[2,N,3]")}}), "f32[2,N,3]");
  EXPECT_EQ(type_of("reshape", {"f32[N,6]"}, {{"shape", parse_shape(ctx, "[M,6]")}}),
            "error: reshape: expected a shape with as many elements as [N,6], got [M,6]");
  EXPECT_EQ(type_of("reshape", {"f32[2,6]"}, {{"shape", parse_shape(ctx, "[5,2]")}}),
            "error: reshape: expected a shape with as many elements as [2,6], got [5,2]");
  EXPECT_EQ(type_of("squeeze", {"f32[1,N,1]"}, {{"axes", Ints{0, 2}}}), "f32[N]");
  EXPECT_EQ(type_of("squeeze", {"f32[1,N]"}, {{"axes", Ints{1}}}),
            "error: squeeze: expected 1 in dimension 1, got [1,N]");
  EXPECT_EQ(type_of("unsqueeze", {"f32[N]"}, {{"axes", Ints{0, 2}}}), "f32[1,N,1]");
  EXPECT_EQ(type_of("unsqueeze", {"f32[N]"}, {{"axes", Ints{3}}}),
            "error: unsqueeze: expected an axis in [0, 2), got 3");
  EXPECT_EQ(type_of("transpose", {"f32[N,3,4]"}, {{"perm", Ints{2, 0, 1}}}), "f32[4,N,3]");
  EXPECT_EQ(type_of("transpose", {"f32[N,3,4]"}, {{"perm", Ints{2, 0, 0}}}),
            "error: transpose: expected a permutation of 3 dimensions, got [2,0,0]");
  EXPECT_EQ(type_of("concat", {"f32[N,3]", "f32[N,4]"}, {{"axis", int64_t{1}}}), "f32[N,7]");
  EXPECT_EQ(type_of("concat", {"f32[N,3]", "f32[N,4]"}, {{"axis", int64_t{0}}}),
            "error: concat: expected operands that differ in axis 0 only, got [N,3] and [N,4]");
  EXPECT_EQ(type_of("split", {"f32[N,7]"}, {{"axis", int64_t{1}}, {"sizes", Ints{3, 4}}}),
            "(f32[N,3], f32[N,4])");
  EXPECT_EQ(type_of("split", {"f32[N,7]"}, {{"axis", int64_t{1}}, {"sizes", Ints{3, 3}}}),
            "error: split: expected sizes that add up to dimension 1 of [N,7], got [3,3]");
  EXPECT_EQ(type_of("tile", {"f32[N,3]"}, {{"repeats", Ints{1, 4}}}), "f32[N,12]");
  EXPECT_EQ(type_of("tile", {"f32[N,3]"}, {{"repeats", Ints{2, 4}}}), "f32[2*N,12]");
}

TEST_F(OpTypes, MovementThatSelects) {
  const auto slice = [](int64_t axis, int64_t start, int64_t end, int64_t step) {
    return std::vector<NamedAttr>{
        {"axes", Ints{axis}}, {"starts", Ints{start}}, {"ends", Ints{end}}, {"steps", Ints{step}}};
  };
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(1, 1, 100, 3)), "f32[N,3]");
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(1, -3, -1, 1)), "f32[N,2]");
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(1, -1, -100, -1)), "f32[N,10]");
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(1, 7, 3, 1)), "f32[N,0]");
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(0, 0, INT64_MAX, 1)), "f32[N,10]");
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(0, 0, 5, 1)), "f32[min(N,5),10]");
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(1, -12, -20, -1)), "f32[N,1]");  // numpy would say 0
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(1, 5, INT64_MAX, -1)),
            "error: slice: expected an end below 2^31 - 1 for step -1, got 9223372036854775807");
  EXPECT_EQ(type_of("slice", {"f32[N,10]"}, slice(1, 0, 5, 0)), "error: slice: expected a step other than 0");
  EXPECT_EQ(type_of("pad", {"f32[N,3]"}, {{"pads", Ints{0, 1, 0, 2}}}), "f32[N,6]");
  EXPECT_EQ(type_of("pad", {"f32[N,3]"}, {{"pads", Ints{0, -1, 0, -1}}}), "f32[N,1]");
  EXPECT_EQ(type_of("pad", {"f32[N,3]"}, {{"pads", Ints{0, -2, 0, -2}}}),
            "error: pad: pads -2 and -2 cut more than dimension 1 has");
  EXPECT_EQ(type_of("pad", {"f32[N,3]"}, {{"pads", Ints{1, 0, 0, 0}}}), "f32[N+1,3]");
  EXPECT_EQ(type_of("pad", {"f32[N,3]"}, {{"pads", Ints{0, 0, 0, 0}}, {"mode", std::string("mirror")}}),
            "error: pad: expected mode constant, edge, reflect or wrap, got mirror");
  EXPECT_EQ(type_of("gather", {"f32[V,16]", "i64[B,S]"}, {{"axis", int64_t{0}}}), "f32[B,S,16]");
  EXPECT_EQ(type_of("gather", {"f32[V,16]", "i64[]"}, {{"axis", int64_t{1}}}), "f32[V]");
  EXPECT_EQ(type_of("gather", {"f32[V,16]", "u8[2]"}),
            "error: gather: operand 1: expected i32 or i64, got u8");
  EXPECT_EQ(type_of("depth_to_space", {"f32[N,8,2,3]"}, {{"blocksize", int64_t{2}}}), "f32[N,2,4,6]");
  EXPECT_EQ(type_of("depth_to_space", {"f32[N,6,2,3]"}, {{"blocksize", int64_t{2}}}),
            "error: depth_to_space: expected channels that 4 divides, got 6");
  EXPECT_EQ(type_of("space_to_depth", {"f32[N,2,4,6]"}, {{"blocksize", int64_t{2}}}), "f32[N,8,2,3]");
  EXPECT_EQ(type_of("trilu", {"f32[N,N]"}), "f32[N,N]");
  EXPECT_EQ(type_of("shape", {"f32[N,3,4]"}, {{"end", int64_t{3}}}), "i64[3]");
  EXPECT_EQ(type_of("shape", {"f32[N,3,4]"}, {{"start", int64_t{-2}}, {"end", int64_t{-1}}}), "i64[1]");
}

TEST_F(OpTypes, Normalisations) {
  EXPECT_EQ(type_of("softmax", {"f32[B,N]"}, {{"axis", int64_t{1}}}), "f32[B,N]");
  EXPECT_EQ(type_of("softmax", {"f32[B,N]"}, {{"axis", int64_t{-1}}}),
            "error: softmax: expected an axis in [0, 2), got -1");
  EXPECT_EQ(type_of("layer_norm", {"f32[B,S,8]", "f32[8]", "f32[8]"}, {{"axis", int64_t{2}}}), "f32[B,S,8]");
  EXPECT_EQ(type_of("layer_norm", {"f32[B,S,8]", "f32[1]"}, {{"axis", int64_t{2}}}),
            "error: layer_norm: operand 1: expected shape [8], got [1]");
  EXPECT_EQ(type_of("batch_norm", {"f32[N,3,H,W]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}), "f32[N,3,H,W]");
  EXPECT_EQ(type_of("instance_norm", {"f32[N,3,H,W]", "f32[3]", "f32[4]"}),
            "error: instance_norm: operand 2: expected shape [3], got [4]");
}

TEST_F(OpTypes, TasoLanguage) {
  const auto conv2d = [](int64_t stride, int64_t padding) {
    return std::vector<NamedAttr>{
        {"stride_h", stride}, {"stride_w", stride}, {"padding", padding}, {"act", int64_t{2}}};
  };
  EXPECT_EQ(type_of("taso.conv2d", {"f32[1,64,7,8]", "f32[32,16,3,3]"}, conv2d(2, 0)), "f32[1,32,4,4]");
  EXPECT_EQ(type_of("taso.conv2d", {"f32[1,64,7,8]", "f32[32,16,3,3]"}, conv2d(2, 1)), "f32[1,32,3,3]");
  EXPECT_NE(type_of("taso.conv2d", {"f32[1,64,7,8]", "f32[32,24,3,3]"}, conv2d(2, 1)).find("error"),
            std::string::npos);
  EXPECT_NE(type_of("taso.conv2d", {"f32[1,64,7,8]", "f32[30,16,3,3]"}, conv2d(2, 1)).find("error"),
            std::string::npos);
  EXPECT_NE(type_of("taso.conv2d", {"f32[1,64,2,2]", "f32[32,16,3,3]"}, conv2d(1, 1)).find("error"),
            std::string::npos);
  EXPECT_NE(type_of("taso.conv2d", {"f32[1,0,7,8]", "f32[32,16,3,3]"}, conv2d(2, 1)).find("error"),
            std::string::npos);
  EXPECT_NE(type_of("taso.concat", {"f32[2,3]", "f32[2,3]"}, {{"axis", int64_t{1}}, {"ndim", int64_t{4}}})
                .find("error"),
            std::string::npos);
  EXPECT_EQ(type_of("taso.split", {"f32[2,5]"}, {{"axis", int64_t{1}}, {"pos", int64_t{2}}}),
            "(f32[2,2], f32[2,3])");
  EXPECT_EQ(type_of("taso.enlarge", {"f32[8,4,1,1]", "f32[9,9,3,5]"}), "f32[8,4,3,5]");
  EXPECT_NE(type_of("taso.enlarge", {"f32[8,4,5,5]", "f32[9,9,3,3]"}).find("error"), std::string::npos);
  EXPECT_EQ(type_of("taso.merge", {"f32[8,4,3,3]"}, {{"count", int64_t{2}}, {"groups", int64_t{4}}}),
            "f32[8,8,3,3]");
  EXPECT_NE(
      type_of("taso.merge", {"f32[8,4,3,3]"}, {{"count", int64_t{2}}, {"groups", int64_t{3}}}).find("error"),
      std::string::npos);
  EXPECT_EQ(type_of("taso.matmul", {"f32[2,3,4]", "f32[2,4,5]"}, {{"act", int64_t{0}}}), "f32[2,3,5]");
}

}  // namespace
}  // namespace isomer::ir
