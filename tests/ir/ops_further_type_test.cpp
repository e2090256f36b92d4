// Type rules of operators that networks have now and then: what they accept, and what they say when they
// refuse.
#include "ir/op_case.h"

namespace isomer::ir {
namespace {

class FurtherTypes : public OpCase {
 protected:
  static NamedAttr word(const char* name, const char* value) { return {name, std::string(value)}; }
  static NamedAttr number(const char* name, int64_t value) { return {name, value}; }
  static NamedAttr list(const char* name, Ints values) { return {name, std::move(values)}; }
};

TEST_F(FurtherTypes, PlacesAreIntegersWithinTheRank) {
  EXPECT_EQ(type_of("gather_elements", {"f16[3,N]", "i64[2,N]"}, {number("axis", 0)}), "f16[2,N]");
  EXPECT_EQ(type_of("gather_elements", {"f32[3,4]", "f32[3,4]"}, {number("axis", 0)}),
            "error: gather_elements: operand 1: expected integers, got f32");
  EXPECT_EQ(type_of("gather_elements", {"f32[3,4]", "i64[3,4]"}, {number("axis", 2)}),
            "error: gather_elements: expected an axis in [0, 2), got 2");
  EXPECT_EQ(type_of("gather_elements", {"f32[3,4]", "i64[3,5]"}, {number("axis", 0)}),
            "error: gather_elements: operand 1: expected at most 4 along dimension 1, got 5");
  EXPECT_EQ(type_of("gather_nd", {"f32[2,3,4]", "i64[5,2]"}), "f32[5,4]");
  EXPECT_EQ(type_of("gather_nd", {"f32[2,3,4]", "i64[2,5,1]"}, {number("batch_dims", 1)}), "f32[2,5,4]");
  EXPECT_EQ(type_of("gather_nd", {"f32[2,3]", "i64[5,3]"}),
            "error: gather_nd: operand 1: expected a last dimension of 0 to 2, got [5,3]");
  EXPECT_EQ(type_of("gather_nd", {"f32[2,3]", "i64[5,1]"}, {number("batch_dims", 2)}),
            "error: gather_nd: expected batch_dims that both operands have, got 2");
  EXPECT_EQ(type_of("scatter_nd", {"f32[4,N]", "i64[2,1]", "f32[2,N]"}, {word("reduction", "add")}),
            "f32[4,N]");
  EXPECT_EQ(type_of("scatter_nd", {"f32[4,5]", "i64[2,1]", "f32[2,4]"}),
            "error: scatter_nd: operand 2: expected shape [2,5], got [2,4]");
  EXPECT_EQ(type_of("scatter_elements", {"f32[4]", "i64[2]", "f16[2]"}, {number("axis", 0)}),
            "error: scatter_elements: operand 2: expected f32 as operand 0 has, got f16");
  EXPECT_EQ(type_of("scatter_elements", {"f32[4]", "i64[2]", "f32[2]"},
                    {number("axis", 0), word("reduction", "mean")}),
            "error: scatter_elements: expected reduction none, add, mul, max or min, got mean");
  EXPECT_EQ(type_of("one_hot", {"i64[N]", "f32[2]"}, {number("depth", 4)}), "f32[N,4]");
  EXPECT_EQ(type_of("one_hot", {"i64[3]", "f32[2]"}, {number("depth", 4), number("axis", 2)}),
            "error: one_hot: expected an axis in [-2, 2), got 2");
  EXPECT_EQ(
      type_of("reverse_sequence", {"f32[3,4]", "i64[3]"}, {number("batch_axis", 0), number("time_axis", 0)}),
      "error: reverse_sequence: expected two axes, got one twice");
}

TEST_F(FurtherTypes, EinsumReadsItsEquation) {
  EXPECT_EQ(type_of("einsum", {"f32[N,3,4]", "f32[N,4,5]"}, {word("equation", "bij, bjk -> bik")}),
            "f32[N,3,5]");
  EXPECT_EQ(type_of("einsum", {"f64[3,3]"}, {word("equation", "ii")}), "f64[]");
  EXPECT_EQ(type_of("einsum", {"f32[2,3]", "f32[4,5]"}, {word("equation", "ij,jk->ik")}),
            "error: einsum: operand 1: expected one size for j wherever it comes");
  EXPECT_EQ(type_of("einsum", {"f32[2,3]"}, {word("equation", "ij->ijk")}),
            "error: einsum: expected k of the result once, and in a term");
  EXPECT_EQ(type_of("einsum", {"f32[2,3]"}, {word("equation", "ij,jk->ik")}),
            "error: einsum: expected 1 terms in the equation, got 2");
  EXPECT_EQ(type_of("einsum", {"f32[2,3]"}, {word("equation", "i1->i")}),
            "error: einsum: expected letters and one ellipsis, got i1");
  EXPECT_EQ(type_of("einsum", {"f32[2,3]"}, {word("equation", "ijk->i")}),
            "error: einsum: operand 0: expected the dimensions of ijk, got [2,3]");
}

TEST_F(FurtherTypes, QuantisedTypesHaveAScaleForEachPlace) {
  EXPECT_EQ(type_of("quantize_linear", {"f32[2,3]", "f32[]"}), "u8[2,3]");
  EXPECT_EQ(type_of("quantize_linear", {"f32[N,3]", "f32[3]", "i8[3]"}), "i8[N,3]");
  EXPECT_EQ(type_of("quantize_linear", {"f32[2,3]", "f32[2]"}),
            "error: quantize_linear: operand 1: expected a scale for each place along the axis");
  EXPECT_EQ(type_of("quantize_linear", {"f32[2,3]", "f32[]", "i32[]"}),
            "error: quantize_linear: expected a type of at most 16 bits to quantise to, got i32");
  EXPECT_EQ(type_of("dequantize_linear", {"u8[2,3]", "f16[]"}), "f16[2,3]");
  EXPECT_EQ(type_of("dequantize_linear", {"u8[2,3]", "f32[]", "i8[]"}),
            "error: dequantize_linear: operand 2: expected u8 as operand 0 has, got i8");
  EXPECT_EQ(type_of("matmul_integer", {"u8[2,3]", "i8[3,4]"}, {list("given", {0, 1})}), "i32[2,4]");
  EXPECT_EQ(
      type_of("matmul_integer", {"u8[2,3]", "i8[3,4]", "u8[]"}, {list("given", {0, 1})}),
      "error: matmul_integer: expected `given` to number the operands: 0 to 1, and those of 2 to 3 that are "
      "there");
  EXPECT_EQ(type_of("matmul_integer", {"f32[2,3]", "i8[3,4]"}, {list("given", {0, 1})}),
            "error: matmul_integer: operand 0: expected i8 or u8, got f32");
}

TEST_F(FurtherTypes, RecurrentNetworksKnowTheirGates) {
  const NamedAttr given = list("given", {0, 1, 2}), hidden = number("hidden", 5);
  EXPECT_EQ(type_of("lstm", {"f32[T,N,3]", "f32[1,20,3]", "f32[1,20,5]"}, {given, hidden}),
            "(f32[T,1,N,5], f32[1,N,5], f32[1,N,5])");
  EXPECT_EQ(type_of("gru", {"f32[7,2,3]", "f32[2,15,3]", "f32[2,15,5]"},
                    {given, hidden, word("direction", "bidirectional")}),
            "(f32[7,2,2,5], f32[2,2,5])");
  EXPECT_EQ(type_of("rnn", {"f32[7,2,3]", "f32[1,20,3]", "f32[1,5,5]"}, {given, hidden}),
            "error: rnn: operand 1: expected shape [1,5,3], got [1,20,3]");
  EXPECT_EQ(
      type_of("rnn", {"f32[7,2,3]", "f32[1,5,3]", "f32[1,5,5]"}, {given, hidden, word("direction", "up")}),
      "error: rnn: expected direction forward, reverse or bidirectional, got up");
  const NamedAttr one{"activations", std::vector<std::string>{"Softplus"}};
  EXPECT_EQ(type_of("rnn", {"f32[7,2,3]", "f32[1,5,3]", "f32[1,5,5]"}, {given, hidden, one}),
            "error: rnn: expected Sigmoid, Tanh or Relu as activation, got Softplus");
}

TEST_F(FurtherTypes, ResizedAxesHaveASizeOrAScale) {
  const NamedAttr axes = list("axes", {2, 3});
  EXPECT_EQ(type_of("resize", {"f32[N,C,4,6]"}, {axes, list("sizes", {8, 3}), word("mode", "linear")}),
            "f32[N,C,8,3]");
  EXPECT_EQ(
      type_of("resize", {"f32[1,1,4,6]"},
              {axes, list("sizes", {}), {"scales", std::vector<double>{0.6, 2}}, word("mode", "cubic")}),
      "f32[1,1,2,12]");
  EXPECT_EQ(type_of("resize", {"f32[1,1,4,6]"}, {axes, list("sizes", {8})}),
            "error: resize: expected either a size or a scale for each axis");
  EXPECT_EQ(type_of("resize", {"f32[1,1,H,6]"}, {axes, list("sizes", {8, 8})}),
            "error: resize: expected dimension 2 of a known size above 0");
  EXPECT_EQ(type_of("resize", {"i32[1,1,4,6]"}, {axes, list("sizes", {8, 8}), word("mode", "linear")}),
            "error: resize: operand 0: expected floats, got i32");
}

TEST_F(FurtherTypes, LossesTakeATargetForEachRow) {
  EXPECT_EQ(type_of("nll_loss", {"f32[N,5,7]", "i64[N,7]"}, {word("reduction", "none")}), "f32[N,7]");
  EXPECT_EQ(type_of("softmax_cross_entropy", {"f32[3,5]", "i64[3]"}), "(f32[], f32[3,5])");
  EXPECT_EQ(type_of("nll_loss", {"f32[3,5]", "i64[5]"}),
            "error: nll_loss: operand 1: expected shape [3], got [5]");
  EXPECT_EQ(type_of("nll_loss", {"f32[3,5]", "f32[3]"}),
            "error: nll_loss: operand 1: expected i32 or i64, got f32");
}

TEST_F(FurtherTypes, AttentionInFullSaysWhichOperandsThereAre) {
  const std::vector<std::string> qkv = {"f32[2,6,4,8]", "f32[2,3,5,8]", "f32[2,3,5,7]"};
  EXPECT_EQ(type_of("full_attention", qkv, {list("given", {0, 1, 2})}),
            "(f32[2,6,4,7], f32[2,3,5,8], f32[2,3,5,7], f32[2,6,4,5])");
  EXPECT_EQ(
      type_of("full_attention", qkv, {list("given", {0, 1, 3})}),
      "error: full_attention: expected `given` to number the operands: 0 to 2, and those of 3 to 6 that are "
      "there");
  EXPECT_EQ(type_of("full_attention", qkv, {list("given", {0, 1, 2}), number("left_window", -2)}),
            "error: full_attention: expected left_window of at least -1, got -2");
}

}  // namespace
}  // namespace isomer::ir
