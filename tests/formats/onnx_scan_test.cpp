// Which bodies of Scan are read by themselves.
#include "formats/onnx_scan.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include "ir/op_table.h"

namespace isomer::formats {
namespace {

void set_type(onnx::ValueInfoProto& value, const char* name) {
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::INT64);
  type.mutable_shape();
}

/// A running sum of the second operand; `added`: what is added to the state each round.
onnx::NodeProto running_sum(const char* added) {
  onnx::NodeProto scan;
  scan.set_op_type("Scan");
  onnx::AttributeProto& scanned = *scan.add_attribute();
  scanned.set_name("num_scan_inputs");
  scanned.set_type(onnx::AttributeProto::INT);
  scanned.set_i(1);
  onnx::AttributeProto& body = *scan.add_attribute();
  body.set_name("body");
  body.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& round = *body.mutable_g();
  round.set_name("round");
  set_type(*round.add_input(), "a");
  set_type(*round.add_input(), "p");
  set_type(*round.add_output(), "b");
  onnx::NodeProto& node = *round.add_node();
  node.set_op_type("Add");
  node.add_input("a");
  node.add_input(added);
  node.add_output("b");
  return scan;
}

TEST(OnnxScan, ABodyIsAGraph) {
  ir::Context ctx(ir::standard_ops());
  const auto scan = read_scan(ctx, running_sum("p").SerializeAsString(), 18);
  ASSERT_TRUE(scan.has_value());
  EXPECT_EQ(scan->states, 1u);
  EXPECT_EQ(scan->body.inputs().size(), 2u);
  EXPECT_EQ(scan->body.def(scan->body.outputs()[0]).name, "add");
}

TEST(OnnxScan, NotOfOuterValuesOtherAxesOrBatches) {
  ir::Context ctx(ir::standard_ops());
  EXPECT_FALSE(read_scan(ctx, running_sum("p").SerializeAsString(), 8));
  EXPECT_FALSE(read_scan(ctx, running_sum("outer").SerializeAsString(), 18));
  onnx::NodeProto along = running_sum("p");
  onnx::AttributeProto& axes = *along.add_attribute();
  axes.set_name("scan_input_axes");
  axes.set_type(onnx::AttributeProto::INTS);
  axes.add_ints(1);
  EXPECT_FALSE(read_scan(ctx, along.SerializeAsString(), 18));
}

}  // namespace
}  // namespace isomer::formats
