// Composites whose type rules are their definitions': what is promised of their results.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace isomer::ir {

struct FurtherComposite {
  std::string op;
  std::vector<std::string> operands;
  std::vector<NamedAttr> attrs;
  std::string type;
};

inline std::vector<FurtherComposite> further_composites() {
  using Ints = std::vector<int64_t>;
  const NamedAttr given2 = {"given", Ints{0, 1}}, given3 = {"given", Ints{0, 1, 2}};
  const std::vector<NamedAttr> window = {
      {"strides", Ints{1, 1}}, {"dilations", Ints{1, 1}}, {"pads", Ints{0, 0, 0, 0}}, {"group", int64_t{1}}};
  std::vector<NamedAttr> given_window = window;
  given_window.push_back(given2);
  const std::vector<NamedAttr> columns = {{"image", Ints{3, 4}},
                                          {"block", Ints{2, 2}},
                                          {"strides", Ints{1, 1}},
                                          {"dilations", Ints{1, 1}},
                                          {"pads", Ints{0, 0, 0, 0}}};
  return {
      {"one_hot", {"i64[N,3]", "f16[2]"}, {{"depth", int64_t{4}}, {"axis", int64_t{1}}}, "f16[N,4,3]"},
      {"hardmax", {"f32[N,3]"}, {{"axis", int64_t{1}}}, "f32[N,3]"},
      {"reverse_sequence", {"f32[5,N]", "i64[N]"}, {}, "f32[5,N]"},
      {"tensor_scatter", {"f32[N,5,3]", "f32[N,2,3]", "i64[N]"}, {}, "f32[N,5,3]"},
      {"nll_loss", {"f32[N,3]", "i64[N]", "f32[3]"}, {{"reduction", std::string("none")}}, "f32[N]"},
      {"softmax_cross_entropy", {"f32[N,3]", "i64[N]"}, {}, "(f32[], f32[N,3])"},
      {"quantize_linear", {"f32[N,3]", "f32[3]", "i8[3]"}, {}, "i8[N,3]"},
      {"dequantize_linear",
       {"u4[4,3]", "f16[2,3]"},
       {{"axis", int64_t{0}}, {"block_size", int64_t{2}}},
       "f16[4,3]"},
      {"dynamic_quantize_linear", {"f32[N,3]"}, {}, "(u8[N,3], f32[], u8[])"},
      {"matmul_integer", {"u8[N,3]", "i8[3,4]"}, {given2}, "i32[N,4]"},
      {"conv_integer", {"u8[1,2,5,6]", "u8[3,2,2,2]"}, given_window, "i32[1,3,4,5]"},
      {"qlinear_matmul",
       {"u8[N,3]", "f32[]", "u8[]", "u8[3,4]", "f32[4]", "u8[4]", "f32[]", "i8[]"},
       {},
       "i8[N,4]"},
      {"qlinear_conv",
       {"u8[1,2,5,6]", "f32[]", "u8[]", "i8[3,2,2,2]", "f32[3]", "i8[3]", "f32[]", "u8[]", "i32[3]"},
       window,
       "u8[1,3,4,5]"},
      {"resize", {"f32[N,C,4,6]"}, {{"axes", Ints{2, 3}}, {"sizes", Ints{8, 3}}}, "f32[N,C,8,3]"},
      {"grid_sample", {"f32[2,3,4,5]", "f32[2,6,7,2]"}, {}, "f32[2,3,6,7]"},
      {"affine_grid", {"f32[2,2,3]"}, {{"size", Ints{2, 1, 4, 5}}}, "f32[2,4,5,2]"},
      {"dft", {"f32[N,6,1]"}, {{"axis", int64_t{1}}, {"onesided", int64_t{1}}}, "f32[N,4,2]"},
      {"col2im", {"f32[2,8,6]"}, columns, "f32[2,2,3,4]"},
      {"full_attention",
       {"f32[2,4,6]", "f32[2,5,3]", "f32[2,5,3]"},
       {given3, {"q_heads", int64_t{2}}, {"kv_heads", int64_t{1}}},
       "(f32[2,4,6], f32[2,1,5,3], f32[2,1,5,3], f32[2,2,4,5])"},
      {"causal_conv", {"f32[2,3,5]", "f32[3,1,4]"}, {given2}, "(f32[2,3,5], f32[2,3,3])"},
      {"layer_norm_statistics",
       {"f16[N,4,3]", "f16[4,3]"},
       {{"axis", int64_t{1}}},
       "(f16[N,4,3], f32[N,1,1], f32[N,1,1])"},
      {"group_norm", {"f32[2,4,3]", "f32[4]", "f32[4]"}, {{"groups", int64_t{2}}}, "f32[2,4,3]"},
      {"lp_norm", {"f32[N,3]"}, {{"axis", int64_t{1}}}, "f32[N,3]"},
      {"mean_variance_norm", {"f32[N,3,4,5]"}, {{"axes", Ints{0, 2, 3}}}, "f32[N,3,4,5]"},
      {"shrink", {"f32[N]"}, {}, "f32[N]"},
      {"swiglu", {"f32[N,3]", "f32[N,3]"}, {}, "f32[N,3]"},
      {"winograd_weights", {"f32[4,3,3,3]"}, {}, "f32[64,3,1,1]"},
      {"winograd_conv",
       {"f32[2,3,5,6]", "f32[64,3,1,1]", "f32[4]"},
       {{"pads", Ints{1, 0, 1, 2}}},
       "f32[2,4,5,6]"},
  };
}

}  // namespace isomer::ir
