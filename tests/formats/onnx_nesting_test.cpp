// Bodies within bodies: read and written up to the bound, refused in words beyond it, at any depth.
#include "formats/onnx_nesting.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include <fstream>

#include "formats/onnx.h"
#include "formats/onnx_dims.h"
#include "formats/onnx_nodes.h"
#include "formats/onnx_wire.h"
#include "ir/op_table.h"
#include "ir/same_structure.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

std::string field(int number, const std::string& data) {
  std::string out;
  append_field_head(out, number, data.size());
  return out + data;
}

std::string declared(const std::string& name, int element_type) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  info.mutable_type()->mutable_tensor_type()->set_elem_type(element_type);
  info.mutable_type()->mutable_tensor_type()->mutable_shape();
  return info.SerializeAsString();
}

constexpr int kNode = 1, kName = 2, kOutput = 12, kInput = 11, kAttribute = 5, kBody = 6, kGraph = 7,
              kOpset = 8;

/// -x as a graph.
std::string leaf(const std::string& result) {
  onnx::NodeProto neg;
  neg.set_op_type("Neg");
  neg.add_input("x");
  neg.add_output(result);
  return field(kNode, neg.SerializeAsString()) + field(kName, result) +
         field(kOutput, declared(result, onnx::TensorProto::FLOAT));
}

std::string attribute(const std::string& name, const std::string& body) {
  onnx::AttributeProto head;
  head.set_name(name);
  head.set_type(onnx::AttributeProto::GRAPH);
  return field(kAttribute, head.SerializeAsString() + field(kBody, body));
}

/// Conditions within conditions, put together from the inside: protobuf would call itself for each.
std::string nested(int depth) {
  std::string graph = leaf("t" + std::to_string(depth));
  for (int n = depth; n > 0; --n) {
    const std::string result = n > 1 ? "t" + std::to_string(n - 1) : "y";
    onnx::NodeProto head;
    head.set_op_type("If");
    head.add_input("c");
    head.add_output(result);
    graph = field(kNode, head.SerializeAsString() + attribute("then_branch", graph) +
                             attribute("else_branch", leaf("e" + std::to_string(n)))) +
            field(kName, "g" + std::to_string(n)) +
            field(kOutput, declared(result, onnx::TensorProto::FLOAT));
  }
  graph += field(kInput, declared("x", onnx::TensorProto::FLOAT)) +
           field(kInput, declared("c", onnx::TensorProto::BOOL));
  onnx::ModelProto head;
  head.set_ir_version(8);
  onnx::OperatorSetIdProto opset;
  opset.set_version(17);
  return head.SerializeAsString() + field(kGraph, graph) + field(kOpset, opset.SerializeAsString());
}

/// A sequence of sequences of ... of tensors as the type of an input.
std::string nested_type(int depth) {
  constexpr int kSequence = 4, kElement = 1, kType = 2;
  onnx::TypeProto tensor;
  tensor.mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  std::string type = tensor.SerializeAsString();
  for (int n = 1; n < depth; ++n) type = field(kSequence, field(kElement, type));
  onnx::ModelProto head;
  head.set_ir_version(8);
  onnx::OperatorSetIdProto opset;
  opset.set_version(17);
  onnx::ValueInfoProto name;
  name.set_name("x");
  const std::string input = name.SerializeAsString() + field(kType, type);
  return head.SerializeAsString() + field(kGraph, field(kInput, input) + field(kOutput, input)) +
         field(kOpset, opset.SerializeAsString());
}

OnnxModel read(ir::Context& ctx, const std::string& bytes) {
  return read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "test.onnx");
}

std::string refusal(const std::string& bytes) {
  ir::Context ctx(ir::standard_ops());
  try {
    read(ctx, bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(OnnxNesting, IsReadAndWrittenUpToTheBound) {
  for (const int depth : {1, 33, 34, 60, 200, kDeepestNesting}) {
    ir::Context ctx(ir::standard_ops());
    const OnnxModel model = read(ctx, nested(depth));
    ASSERT_EQ(model.graph.size(), 3u) << depth;  // x, c, the condition
    const OnnxModel again = read(ctx, write_onnx_bytes(model.graph, *model.envelope));
    EXPECT_TRUE(ir::same_structure(model.graph, again.graph, ir::Identities::kRenamed)) << depth;
  }
}

TEST(OnnxNesting, IsNoObstacleToListingDimensions) {
  const std::string path = testing::TempDir() + "nested_dims.onnx";
  std::ofstream(path, std::ios::binary) << nested(60);
  EXPECT_TRUE(list_onnx_dims(path).of_inputs.empty());
  EXPECT_EQ(list_onnx_nodes(path).nodes.size(), 1U);
}

TEST(OnnxNesting, IsRefusedInWordsBeyondIt) {
  for (const int depth : {kDeepestNesting + 1, 1'000})
    EXPECT_EQ(
        refusal(nested(depth)),
        "test.onnx: graphs (bodies of If, Loop, Scan) are nested deeper than 256, the most that is read")
        << depth;
}

TEST(OnnxNesting, TypesHaveTheSameBound) {
  for (const int depth : {2, 60, kDeepestNesting}) {
    ir::Context ctx(ir::standard_ops());
    const OnnxModel model = read(ctx, nested_type(depth));
    const OnnxModel again = read(ctx, write_onnx_bytes(model.graph, *model.envelope));
    EXPECT_EQ(again.graph.type_id(again.graph.inputs()[0]), model.graph.type_id(model.graph.inputs()[0]));
  }
  for (const int depth : {kDeepestNesting + 1, 5'000})
    EXPECT_EQ(refusal(nested_type(depth)),
              "test.onnx: types are nested deeper than 256, the most that is read");
}

}  // namespace
}  // namespace isomer::formats
