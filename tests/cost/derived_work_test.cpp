// Work derived from the declared meanings, against counts made by hand.
#include <gtest/gtest.h>

#include "cost/flops.h"
#include "cost/roofline.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::cost {
namespace {

using ir::NamedAttr;
using Ints = std::vector<int64_t>;

class DerivedWork : public testing::Test {
 protected:
  ir::Context ctx_{ir::standard_ops()};
  ir::Builder builder_{ctx_};

  ir::ValueId f32(std::vector<int64_t> sizes) {
    return builder_.input("x", ctx_.tensor_type(ir::DType::kF32, ir::static_shape(sizes)));
  }
  Work work(const char* op, std::vector<ir::ValueId> operands, std::vector<NamedAttr> attrs = {}) {
    const ir::ValueId v = builder_.add(op, operands, std::move(attrs));
    const ir::Graph& graph = builder_.so_far();
    std::vector<ir::TypeId> inputs;
    for (ir::ValueId operand : graph.operands(v)) inputs.push_back(graph.type_id(operand));
    return work_of(ir::OpInstance(ctx_, graph.def(v), graph.attrs(v), inputs, graph.type_id(v)));
  }
};

TEST_F(DerivedWork, Products) {
  const Work plain = work("matmul", {f32({8, 32}), f32({32, 16})});
  EXPECT_EQ(plain.macs, 8 * 32 * 16);
  EXPECT_EQ(plain.flops, 2 * plain.macs);
  EXPECT_EQ(work("matmul", {f32({5, 8, 32}), f32({32, 16})}).macs, 5 * 8 * 32 * 16);
  EXPECT_EQ(work("gemm", {f32({8, 32}), f32({32, 16}), f32({8, 16})}).macs, 8 * 32 * 16);
}

TEST_F(DerivedWork, Convolutions) {
  const std::vector<NamedAttr> attrs = {
      {"strides", Ints{2, 2}}, {"dilations", Ints{1, 1}}, {"pads", Ints{1, 1, 1, 1}}, {"group", int64_t{2}}};
  const Work conv = work("conv", {f32({1, 8, 16, 16}), f32({6, 4, 3, 3})}, attrs);
  EXPECT_EQ(conv.macs, 6 * 8 * 8 * 4 * 9) << "padding is not seen, as everywhere in the literature";
  EXPECT_EQ(conv.bytes(), 4 * (8 * 256 + 6 * 36 + 6 * 64));
  std::vector<NamedAttr> back = attrs;
  back.push_back({"output_padding", Ints{1, 1}});
  const Work transposed = work("conv_transpose", {f32({1, 8, 8, 8}), f32({8, 3, 3, 3})}, back);
  EXPECT_EQ(transposed.macs, 8 * 64 * 3 * 9) << "each input element meets each tap once";
}

TEST_F(DerivedWork, PassesOverData) {
  const Work relu = work("relu", {f32({10, 10})});
  EXPECT_EQ(relu.flops, 100);
  EXPECT_EQ(relu.bytes(), 800);
  EXPECT_EQ(relu.macs, 0);
  const Work sum = work("reduce_sum", {f32({10, 20})}, {{"axes", Ints{1}}, {"keepdims", int64_t{0}}});
  EXPECT_EQ(sum.flops, 200);
  EXPECT_EQ(sum.bytes(), 4 * 210);
  EXPECT_GT(work("exp", {f32({10, 10})}).flops, relu.flops);
}

TEST_F(DerivedWork, CompositesAreOnePass) {
  const Work softmax = work("softmax", {f32({10, 20})}, {{"axis", int64_t{1}}});
  EXPECT_EQ(softmax.bytes(), 2 * 4 * 200);
  EXPECT_GE(softmax.flops, 200 * (1 + 1 + 8 + 1 + 4)) << "maximum, difference, exp, sum, quotient";
  EXPECT_LE(softmax.flops, 200 * 30);
  EXPECT_EQ(softmax.macs, 0);
  const Work norm =
      work("layer_norm", {f32({10, 20}), f32({20}), f32({20})}, {{"axis", int64_t{1}}, {"epsilon", 1e-5}});
  EXPECT_EQ(norm.bytes(), 4 * (200 + 20 + 20 + 200));
  EXPECT_GE(norm.flops, 200 * 6);
  EXPECT_EQ(work("gelu", {f32({10, 20})}).bytes(), 2 * 4 * 200);
}

TEST_F(DerivedWork, Movement) {
  EXPECT_EQ(work("transpose", {f32({10, 20})}, {{"perm", Ints{1, 0}}}).bytes(), 2 * 4 * 200);
  EXPECT_EQ(work("concat", {f32({10, 20}), f32({5, 20})}, {{"axis", int64_t{0}}}).bytes(), 2 * 4 * 300);
  EXPECT_EQ(work("split", {f32({10, 20})}, {{"axis", int64_t{0}}, {"sizes", Ints{4, 6}}}).bytes(),
            2 * 4 * 200);
  EXPECT_EQ(work("slice", {f32({100, 20})},
                 {{"axes", Ints{0}}, {"starts", Ints{5}}, {"ends", Ints{7}}, {"steps", Ints{1}}})
                .bytes(),
            2 * 4 * 40)
      << "what is cut out, not what it is cut from";
  EXPECT_TRUE(work("reshape", {f32({10, 20})}, {{"shape", ir::static_shape({200})}}).free);
  EXPECT_TRUE(work("broadcast", {f32({20})}, {{"shape", ir::static_shape({10, 20})}}).free);
}

TEST_F(DerivedWork, SymbolicBatch) {
  const ir::Dim n = ir::Dim::symbol(ctx_.symbol("N"));
  const ir::ValueId x = builder_.input("x", ctx_.tensor_type(ir::DType::kF32, {n, ir::Dim(32)}));
  EXPECT_EQ(work("matmul", {x, f32({32, 16})}).macs, kNominalSize * 32 * 16);
  EXPECT_EQ(work("softmax", {x}, {{"axis", int64_t{1}}}).bytes(), 2 * 4 * kNominalSize * 32);
  EXPECT_EQ(work("relu", {x}).flops, kNominalSize * 32);
}

TEST_F(DerivedWork, FusedActivationAddsItsArithmetic) {
  const Work bare = work("taso.matmul", {f32({8, 32}), f32({32, 16})}, {{"act", int64_t{0}}});
  const Work relu = work("taso.matmul", {f32({8, 32}), f32({32, 16})}, {{"act", int64_t{2}}});
  EXPECT_EQ(bare.macs, relu.macs);
  EXPECT_EQ(relu.flops - bare.flops, 8 * 16);
  EXPECT_EQ(bare.bytes(), relu.bytes());
}

}  // namespace
}  // namespace isomer::cost
