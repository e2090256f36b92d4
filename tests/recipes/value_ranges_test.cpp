// What values can be, through operators and through the rounds of a Scan.
#include "recipes/value_ranges.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

using rewrite::FloatRange;

void add_node(onnx::GraphProto& graph, const char* op, std::initializer_list<const char*> inputs,
              std::initializer_list<const char*> outputs) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const char* name : inputs) node.add_input(name);
  for (const char* name : outputs) node.add_output(name);
}

void set_type(onnx::ValueInfoProto& value, const char* name, int64_t size) {
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::INT64);
  type.mutable_shape();
  if (size > 0) type.mutable_shape()->add_dim()->set_dim_value(size);
}

/// The longest run of bools that are true: a state is one more, or 0 where the bool is not true.
FloatRange longest_run(int64_t size) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(18);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  set_type(*graph.add_input(), "x", size);
  set_type(*graph.add_output(), "y", 0);
  set_type(*graph.add_value_info(), "all", size);
  onnx::TensorProto& zero = *graph.add_initializer();
  zero.set_name("zero");
  zero.set_data_type(onnx::TensorProto::INT64);
  zero.add_int64_data(0);
  add_node(graph, "Greater", {"x", "zero"}, {"g"});
  add_node(graph, "Cast", {"g"}, {"c"});
  onnx::AttributeProto& to = *graph.mutable_node(1)->add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(onnx::TensorProto::INT64);
  add_node(graph, "Scan", {"zero", "c"}, {"last", "all"});
  add_node(graph, "ReduceMax", {"all"}, {"y"});
  onnx::AttributeProto& keep = *graph.mutable_node(3)->add_attribute();
  keep.set_name("keepdims");
  keep.set_type(onnx::AttributeProto::INT);
  keep.set_i(0);
  onnx::NodeProto& scan = *graph.mutable_node(2);
  onnx::AttributeProto& scanned = *scan.add_attribute();
  scanned.set_name("num_scan_inputs");
  scanned.set_type(onnx::AttributeProto::INT);
  scanned.set_i(1);
  onnx::AttributeProto& body = *scan.add_attribute();
  body.set_name("body");
  body.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& round = *body.mutable_g();
  round.set_name("round");
  set_type(*round.add_input(), "a", 0);
  set_type(*round.add_input(), "p", 0);
  set_type(*round.add_output(), "b", 0);
  set_type(*round.add_output(), "o", 0);
  add_node(round, "Add", {"a", "p"}, {"s"});
  add_node(round, "Mul", {"s", "p"}, {"b"});
  add_node(round, "Identity", {"b"}, {"o"});
  const std::string bytes = model.SerializeAsString();
  ir::Context ctx(ir::standard_ops());
  const ir::Graph read = formats::read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "test").graph;
  return value_ranges(read, 18)[read.outputs()[0].index()];
}

TEST(ValueRanges, RoundByRoundThroughAScan) {
  EXPECT_EQ(longest_run(8).low, 0);
  EXPECT_EQ(longest_run(8).high, 8);
  EXPECT_EQ(longest_run(5).high, 5);
}

TEST(ValueRanges, OfKnownInputsAndWithinTheType) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph =
      ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : u8[4] %y = add(%x, %x) : u8[4] return %y }");
  const FloatRange few{0, 10};
  EXPECT_EQ(value_ranges(graph, 18, std::span(&few, 1)).back().high, 20);
  EXPECT_EQ(value_ranges(graph, 18).back().high, 255);
}

}  // namespace
}  // namespace isomer::recipes
