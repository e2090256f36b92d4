#include "runtime/kernels_of.h"

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <vector>

#include "ir/op_table.h"

namespace isomer::runtime {
namespace {

using ir::ValueId;

constexpr double kChannels = 64, kImage = 32;

/// Of the result of what `make` adds to an image and weights that are known.
Kernels kernels(ir::Context& ctx, const std::vector<int64_t>& weights,
                const std::function<ValueId(ir::Builder&, ValueId, ValueId)>& make) {
  ir::Builder b(ctx);
  const auto side = static_cast<int64_t>(kImage), channels = static_cast<int64_t>(kChannels);
  const ValueId x =
      b.input("x", ctx.tensor_type(ir::DType::kF32, ir::static_shape({1, channels, side, side})));
  const ValueId w = b.input("w", ctx.tensor_type(ir::DType::kF32, ir::static_shape(weights)));
  const ValueId y = make(b, x, w);
  const ir::Graph graph = b.finish({y});
  std::vector<ir::TypeId> types;
  for (ValueId operand : graph.operands(y)) types.push_back(graph.type_id(operand));
  std::vector<cost::OperandFacts> facts(2);
  facts[1].weight = true;
  return kernels_of(ir::OpInstance(ctx, graph.def(y), graph.attrs(y), types, graph.type_id(y)),
                    std::span(facts).first(types.size()), formats::Dialect(17));
}

TEST(KernelsOf, WhatARuntimeHasIsOne) {
  ir::Context ctx(ir::standard_ops());
  const Kernels conv = kernels(ctx, {64, 64, 3, 3}, [](ir::Builder& b, ValueId x, ValueId w) {
    const std::vector<int64_t> ones{1, 1};
    return b.add(
        "conv", {x, w},
        {{"strides", ones}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"dilations", ones}, {"group", 1}});
  });
  ASSERT_EQ(conv.works.size(), 1u);
  EXPECT_EQ(conv.works[0].macs, kChannels * kChannels * 9 * kImage * kImage);
  EXPECT_EQ(conv.live_bytes, 2 * 4 * kChannels * kImage * kImage) << "weights do not count";
}

// 16 products of a quarter of the points, each from and to memory.
TEST(KernelsOf, WhatIsWrittenOutIsThoseOfItsDefinition) {
  ir::Context ctx(ir::standard_ops());
  const Kernels parts = kernels(ctx, {16 * 64, 64, 1, 1}, [](ir::Builder& b, ValueId x, ValueId w) {
    return b.add("winograd_conv", {x, w}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  });
  EXPECT_GT(parts.works.size(), 16u);
  double macs = 0, moved = 0;
  for (const cost::Work& part : parts.works) {
    macs += part.macs;
    moved += part.bytes();
  }
  EXPECT_EQ(macs, kChannels * kChannels * 16 * kImage * kImage / 4);
  constexpr double kBytes = 4 * kChannels * kImage * kImage;  // of the image, of the result
  EXPECT_GT(moved, 10 * kBytes);
  EXPECT_GT(parts.live_bytes, 2 * kBytes) << "more than a convolution's operand and result";
  EXPECT_LT(parts.live_bytes, moved);
}

TEST(KernelsOf, WhatHasNoProductIsFusedIntoOne) {
  ir::Context ctx(ir::standard_ops());
  const Kernels gelu =
      kernels(ctx, {1}, [](ir::Builder& b, ValueId x, ValueId) { return b.add("gelu", {x}); });
  EXPECT_EQ(gelu.works.size(), 1u) << "ONNX has it from opset 20 on";
}

}  // namespace
}  // namespace isomer::runtime
