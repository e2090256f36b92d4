// Names of written nodes: once in a graph, those of kept nodes as they were read.
#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include <map>

#include "formats/onnx.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

onnx::ModelProto model_of(const std::vector<onnx::NodeProto>& nodes,
                          const std::vector<std::string>& outputs) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  const auto declare = [](onnx::ValueInfoProto& info, const std::string& name) {
    info.set_name(name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  };
  declare(*graph.add_input(), "x");
  graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(4);
  for (const std::string& name : outputs) declare(*graph.add_output(), name);
  for (const onnx::NodeProto& node : nodes) *graph.add_node() = node;
  return model;
}

onnx::NodeProto node(const std::string& op, const std::string& name, const std::vector<std::string>& in,
                     const std::vector<std::string>& out) {
  onnx::NodeProto n;
  n.set_op_type(op);
  n.set_name(name);
  for (const std::string& i : in) n.add_input(i);
  for (const std::string& o : out) n.add_output(o);
  return n;
}

OnnxModel read(ir::Context& ctx, const onnx::ModelProto& model) {
  const std::string bytes = model.SerializeAsString();
  return read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "test.onnx");
}

/// Operator by node name, as written; fails where a name stands twice.
std::map<std::string, std::string> written(const ir::Graph& graph, const OnnxEnvelope& envelope) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(write_onnx_bytes(graph, envelope)));
  std::map<std::string, std::string> ops;
  for (const onnx::NodeProto& n : model.graph().node()) {
    if (n.name().empty()) continue;
    EXPECT_TRUE(ops.emplace(n.name(), n.op_type()).second) << n.name() << " stands twice";
  }
  return ops;
}

// What rewriting does to a split of which not all is needed: each part by itself.
TEST(OnnxLabels, PartsOfANamedNodeGetNumbers) {
  ir::Context ctx(ir::standard_ops());
  const OnnxModel model =
      read(ctx, model_of({node("Split", "part", {"x"}, {"a", "b"}), node("Neg", "n", {"a"}, {"y"}),
                          node("Abs", "part_2", {"b"}, {"z"})},
                         {"y", "z"}));
  ir::Builder b(ctx, "g");
  const ValueId x = b.input("x", model.graph.type_id(model.graph.inputs()[0]));
  using Ints = std::vector<int64_t>;
  const auto part = [&](int64_t from, const char* name) {
    const ValueId v =
        b.add("slice", {x},
              {{"axes", Ints{0}}, {"starts", Ints{from}}, {"ends", Ints{from + 2}}, {"steps", Ints{1}}});
    b.set_name(v, name);
    return v;
  };
  const ValueId y = b.add("neg", {part(0, "a")}), z = b.add("abs", {part(2, "b")});
  b.set_name(y, "y");
  b.set_name(z, "z");
  EXPECT_EQ(written(b.finish({y, z}), *model.envelope),
            (std::map<std::string, std::string>{
                {"part", "Slice"}, {"part_3", "Slice"}, {"n", "Neg"}, {"part_2", "Abs"}}));
}

TEST(OnnxLabels, AKeptNodeKeepsItsNameAndACopyKeepsAll) {
  ir::Context ctx(ir::standard_ops());
  const OnnxModel model = read(
      ctx, model_of({node("Split", "part", {"x"}, {"a", "b"}), node("MelWeightMatrix", "kept", {"b"}, {"h"}),
                     node("StringSplit", "second", {"a"}, {"", "place"}), node("Neg", "twice", {"h"}, {"y"}),
                     node("Neg", "twice", {"y"}, {"z"}), node("Identity", "alias", {"h"}, {"copy"})},
                    {"y", "z", "place", "copy"}));
  const auto names = written(model.graph, *model.envelope);
  EXPECT_EQ(names.at("part"), "Split");
  EXPECT_EQ(names.at("kept"), "MelWeightMatrix") << "not what its alias is called";
  EXPECT_EQ(names.at("second"), "StringSplit") << "of which the first output is not there";
  EXPECT_EQ(names.at("twice"), "Neg");
  EXPECT_EQ(names.at("twice_2"), "Neg");
}

// A name that is read as another node's number is not given away.
TEST(OnnxLabels, KeptNodesChooseFirst) {
  ir::Context ctx(ir::standard_ops());
  const OnnxModel model = read(
      ctx,
      model_of({node("Neg", "same", {"x"}, {"n"}), node("MelWeightMatrix", "same", {"n"}, {"y"})}, {"y"}));
  EXPECT_EQ(written(model.graph, *model.envelope),
            (std::map<std::string, std::string>{{"same", "MelWeightMatrix"}, {"same_2", "Neg"}}));
}

// GatherElements of what nothing is known of has the shape of its indices, and no element type.
TEST(OnnxLabels, AValueOfKnownShapeAndUnknownTypeIsNotDeclared) {
  ir::Context ctx(ir::standard_ops());
  onnx::ModelProto model =
      model_of({node("Unheard", "u", {"x"}, {"u"}), node("GatherElements", "g", {"u", "k"}, {"e"}),
                node("Unheard", "v", {"e"}, {"y"})},
               {"y"});
  model.mutable_graph()->mutable_node(0)->set_domain("somebody");
  model.mutable_graph()->mutable_node(2)->set_domain("somebody");
  onnx::OperatorSetIdProto& import = *model.add_opset_import();
  import.set_domain("somebody");
  import.set_version(1);
  onnx::TensorProto& k = *model.mutable_graph()->add_initializer();
  k.set_name("k");
  k.set_data_type(onnx::TensorProto::INT64);
  k.add_dims(3);
  for (int i = 0; i < 3; ++i) k.add_int64_data(i);
  const OnnxModel read_model = read(ctx, model);
  onnx::ModelProto out;
  ASSERT_TRUE(out.ParseFromString(write_onnx_bytes(read_model.graph, *read_model.envelope)));
  EXPECT_EQ(out.graph().node_size(), 3);
  for (const onnx::ValueInfoProto& info : out.graph().value_info())
    EXPECT_NE(info.type().tensor_type().elem_type(), 0) << info.name();
}

}  // namespace
}  // namespace isomer::formats
