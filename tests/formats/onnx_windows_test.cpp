// Windows whose pads follow from the sizes of images, or from none.
#include "formats/onnx_windows.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::formats {
namespace {

/// What y = op(x) is read as, by `auto_pad`, with windows of 2 x 5 in dilations of 1 x 2; height and width
/// are named.
std::string read_as(const char* op, const char* auto_pad, int64_t stride) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  node.add_input("x");
  node.add_output("y");
  const auto attribute = [&](const char* name) -> onnx::AttributeProto& {
    onnx::AttributeProto& a = *node.add_attribute();
    a.set_name(name);
    return a;
  };
  const auto numbers = [&](const char* name, int64_t first, int64_t second) {
    onnx::AttributeProto& a = attribute(name);
    a.set_type(onnx::AttributeProto::INTS);
    a.add_ints(first);
    a.add_ints(second);
  };
  numbers("kernel_shape", 2, 5);
  numbers("dilations", 1, 2);
  numbers("strides", stride, stride);
  onnx::AttributeProto& pad = attribute("auto_pad");
  pad.set_type(onnx::AttributeProto::STRING);
  pad.set_s(auto_pad);
  for (auto* info : {graph.add_input(), graph.add_output()}) {
    info->set_name(info == &graph.input(0) ? "x" : "y");
    info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    auto& shape = *info->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.add_dim()->set_dim_value(1);
    shape.add_dim()->set_dim_value(3);
    for (const char* name : {"H", "W"}) shape.add_dim()->set_dim_param(name);
  }
  const std::string text = model.SerializeAsString();
  ir::Context ctx(ir::standard_ops());
  const OnnxModel read =
      read_onnx_bytes(ctx, std::as_bytes(std::span(text.data(), text.size())), "test.onnx");
  const ir::Graph& g = read.graph;
  const ir::ValueId y = g.outputs()[0];
  if (g.def(y).kind == ir::MeaningKind::kOpaque) return read.notes.at(0);
  const int pads = g.def(y).attr_index("pads");
  std::string out = g.def(y).name;
  for (const int64_t p : std::get<std::vector<int64_t>>(ctx.get(g.attrs(y)[static_cast<size_t>(pads)])))
    out += " " + std::to_string(p);
  return out + " " + ir::print(ctx, g.type_id(y));
}

TEST(OnnxWindows, InStepsOfOneHaveTheSamePadsAtAllSizes) {
  EXPECT_EQ(read_as("MaxPool", "SAME_UPPER", 1), "max_pool 0 4 1 4 f32[1,3,H,W]");
  EXPECT_EQ(read_as("MaxPool", "SAME_LOWER", 1), "max_pool 1 4 0 4 f32[1,3,H,W]");
}

TEST(OnnxWindows, OfLargerStepsHavePadsThatSizesDecide) {
  EXPECT_EQ(read_as("MaxPool", "SAME_UPPER", 2),
            "1 x opaque MaxPool: the sizes of its operands are not known");
}

}  // namespace
}  // namespace isomer::formats
