// Which control flow has a meaning, and that it is written as it was.
#include "formats/onnx_control.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <onnx-ml.pb.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "formats/onnx.h"
#include "formats/onnx_external.h"
#include "formats/onnx_opaque.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::formats {
namespace {

constexpr int kFloat = onnx::TensorProto::FLOAT, kInt64 = onnx::TensorProto::INT64,
              kBool = onnx::TensorProto::BOOL;

void declare(onnx::ValueInfoProto& value, const std::string& name, int type,
             std::vector<int64_t> sizes = {}) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (int64_t size : sizes) {
    auto& d = *tensor.mutable_shape()->add_dim();
    if (size > 0) d.set_dim_value(size);
  }
}

onnx::NodeProto& add(onnx::GraphProto& graph, const std::string& op, std::vector<std::string> in,
                     std::vector<std::string> out) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string& name : in) node.add_input(name);
  for (const std::string& name : out) node.add_output(name);
  return node;
}

onnx::GraphProto& body_of(onnx::NodeProto& node, const std::string& attr) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(attr);
  a.set_type(onnx::AttributeProto::GRAPH);
  a.mutable_g()->set_name(attr);
  return *a.mutable_g();
}

void constant(onnx::GraphProto& graph, const std::string& name, int type, int64_t value) {
  onnx::TensorProto& t = *graph.add_initializer();
  t.set_name(name);
  t.set_data_type(type);
  if (type == kInt64) t.add_int64_data(value);
  if (type == kBool) t.add_int32_data(static_cast<int32_t>(value));
}

onnx::ModelProto model() {
  onnx::ModelProto out;
  out.set_ir_version(8);
  out.add_opset_import()->set_version(17);
  out.mutable_graph()->set_name("g");
  return out;
}

struct Read {
  std::string bytes;
  ir::Context ctx{ir::standard_ops()};
  OnnxModel model;
  explicit Read(const onnx::ModelProto& proto)
      : bytes(proto.SerializeAsString()),
        model(read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "model.onnx")) {}

  bool has(std::string_view op) const {
    for (size_t i = 0; i < model.graph.size(); ++i)
      if (model.graph.def(ir::ValueId(i)).name == op) return true;
    return false;
  }
  onnx::ModelProto written() const {
    onnx::ModelProto out;
    EXPECT_TRUE(out.ParseFromString(write_onnx_bytes(model.graph, *model.envelope)));
    return out;
  }
};

/// y = x doubled `rounds` times, and each y; the body's condition is the one that it is given, or
/// `condition`.
onnx::ModelProto doubling(int64_t rounds, const char* condition = "given") {
  onnx::ModelProto out = model();
  onnx::GraphProto& g = *out.mutable_graph();
  declare(*g.add_input(), "x", kFloat, {3});
  declare(*g.add_output(), "y", kFloat, {3});
  declare(*g.add_output(), "all", kFloat, {0, 3});
  if (rounds >= 0)
    constant(g, "rounds", kInt64, rounds);
  else
    declare(*g.add_input(), "rounds", kInt64);
  constant(g, "yes", kBool, 1);
  onnx::NodeProto& loop = add(g, "Loop", {"rounds", "yes", "x"}, {"y", "all"});
  loop.set_name("the loop");
  onnx::GraphProto& body = body_of(loop, "body");
  declare(*body.add_input(), "i", kInt64);
  declare(*body.add_input(), "given", kBool);
  declare(*body.add_input(), "before", kFloat, {3});
  add(body, "Add", {"before", "before"}, {"after"}).set_name("twice");
  add(body, "Identity", {"after"}, {"shown"});
  add(body, "Identity", {condition}, {"goes_on"});
  for (const char* name : {"goes_on", "after", "shown"})
    declare(*body.add_output(), name, name[0] == 'g' ? kBool : kFloat);
  return out;
}

TEST(OnnxControl, ALoopOfKnownRoundsHasAType) {
  const Read read(doubling(4));
  EXPECT_TRUE(read.has("loop"));
  EXPECT_TRUE(read.model.notes.empty());
  const ir::Graph& g = read.model.graph;
  EXPECT_EQ(ir::print(read.ctx, g.type_id(g.outputs()[1])), "f32[4,3]");
}

TEST(OnnxControl, ItIsWrittenAsItWas) {
  const onnx::ModelProto before = doubling(4);
  const onnx::ModelProto after = Read(before).written();
  ASSERT_EQ(after.graph().node_size(), 1);
  EXPECT_EQ(after.graph().node(0).SerializeAsString(), before.graph().node(0).SerializeAsString());
}

TEST(OnnxControl, RoundsThatAreNotKnownStackNothing) {
  for (const onnx::ModelProto& proto : {doubling(-1), doubling(4, "outside")}) {
    onnx::ModelProto some = proto;
    if (some.graph().input_size() == 1) declare(*some.mutable_graph()->add_input(), "outside", kBool);
    const Read read(some);
    EXPECT_FALSE(read.has("loop"));
    ASSERT_EQ(read.model.notes.size(), 1u);
    EXPECT_NE(read.model.notes[0].find("how many rounds"), std::string::npos) << read.model.notes[0];
  }
}

TEST(OnnxControl, ABodyWithSomethingOpaqueStaysOpaque) {
  onnx::ModelProto proto = doubling(4);
  proto.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_op_type(
      "Mystery");
  const Read read(proto);
  EXPECT_FALSE(read.has("loop"));
  ASSERT_EQ(read.model.notes.size(), 1u);
  EXPECT_NE(read.model.notes[0].find("Mystery"), std::string::npos) << read.model.notes[0];
}

/// x + y or x - y, by `condition`.
onnx::ModelProto choice() {
  onnx::ModelProto out = model();
  onnx::GraphProto& g = *out.mutable_graph();
  for (const char* name : {"x", "y"}) declare(*g.add_input(), name, kFloat, {3});
  declare(*g.add_output(), "r", kFloat, {3});
  onnx::NodeProto& node = add(g, "If", {"c"}, {"r"});
  for (const auto& [attr, op] : {std::pair{"then_branch", "Add"}, std::pair{"else_branch", "Sub"}}) {
    onnx::GraphProto& branch = body_of(node, attr);
    add(branch, op, {"x", "y"}, {"inner"});
    declare(*branch.add_output(), "inner", kFloat);
  }
  return out;
}

TEST(OnnxControl, AnIfOfAKnownConditionIsItsBranch) {
  for (const int64_t taken : {0, 1}) {
    onnx::ModelProto proto = choice();
    constant(*proto.mutable_graph(), "c", kBool, taken);
    const Read read(proto);
    EXPECT_FALSE(read.has("if"));
    EXPECT_EQ(read.has("add"), taken == 1);
    EXPECT_EQ(read.has("sub"), taken == 0);
    EXPECT_EQ(read.written().graph().output(0).name(), "r");
  }
}

/// What goes into a branch counts among the weights that are too many for the model's file.
TEST(OnnxControl, WeightsOfABranchCountForTheFileOfWeights) {
  constexpr int kCount = 300;
  onnx::ModelProto proto = model();
  onnx::GraphProto& g = *proto.mutable_graph();
  declare(*g.add_input(), "c", kBool);
  declare(*g.add_input(), "x", kFloat, {kCount});
  declare(*g.add_output(), "y", kFloat, {kCount});
  for (const char* name : {"inside", "outside"}) {
    onnx::TensorProto& t = *g.add_initializer();
    t.set_name(name);
    t.set_data_type(kFloat);
    t.add_dims(kCount);
    for (int i = 0; i < kCount; ++i) t.add_float_data(static_cast<float>(name[0] + i));
  }
  onnx::NodeProto& node = add(g, "If", {"c"}, {"r"});
  for (const auto& [attr, read] : {std::pair{"then_branch", "inside"}, std::pair{"else_branch", "x"}}) {
    onnx::GraphProto& branch = body_of(node, attr);
    add(branch, "Add", {"x", read}, {"inner"});
    declare(*branch.add_output(), "inner", kFloat);
  }
  add(g, "Add", {"r", "outside"}, {"y"});
  const Read read(proto);
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("isomer_branch_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "m.onnx").string();
  write_onnx(read.model.graph, *read.model.envelope, path, {.external_above = 6 * kCount});
  {
    ir::Context ctx(ir::standard_ops());
    EXPECT_EQ(data_files(*read_onnx(ctx, path).envelope).size(), 1u);
  }
  std::filesystem::remove_all(folder);
}

TEST(OnnxControl, AnIfOfAnyConditionIsKept) {
  onnx::ModelProto proto = choice();
  declare(*proto.mutable_graph()->add_input(), "c", kBool);
  const Read read(proto);
  EXPECT_TRUE(read.has("if"));
  const onnx::ModelProto after = read.written();
  ASSERT_EQ(after.graph().node_size(), 1);
  const onnx::GraphProto& branch = after.graph().node(0).attribute(1).g();
  EXPECT_EQ(branch.node(0).input(0), "x") << "captures have their names again";
}

TEST(OnnxControl, NamesWithinABranchEndThere) {
  onnx::ModelProto proto = choice();
  onnx::GraphProto& g = *proto.mutable_graph();
  constant(g, "c", kBool, 1);
  onnx::NodeProto second = g.node(0);
  second.set_output(0, "s");
  for (onnx::AttributeProto& a : *second.mutable_attribute())
    a.mutable_g()->mutable_node(0)->set_input(0, "r");
  *g.add_node() = second;
  declare(*g.add_output(), "s", kFloat, {3});
  const Read read(proto);
  const ir::Graph& graph = read.model.graph;
  EXPECT_NE(graph.outputs()[0], graph.outputs()[1]) << "both branches call their value by one name";
  const onnx::ModelProto after = read.written();
  EXPECT_EQ(after.graph().node(0).output(0), "r");
  EXPECT_EQ(after.graph().node(1).output(0), "s");
}

TEST(OnnxControl, WhatABranchIsTheFirstToUseIsWrittenOnce) {
  onnx::ModelProto proto = choice();
  onnx::GraphProto& g = *proto.mutable_graph();
  constant(g, "c", kBool, 1);
  onnx::TensorProto& w = *g.add_initializer();
  w.set_name("w");
  w.set_data_type(kFloat);
  w.add_dims(3);
  for (const float x : {1.f, 2.f, 3.f}) w.add_float_data(x);
  for (onnx::AttributeProto& a : *g.mutable_node(0)->mutable_attribute())
    a.mutable_g()->mutable_node(0)->set_input(1, "w");
  const onnx::ModelProto after = Read(proto).written();
  int weights = 0;
  for (const onnx::TensorProto& t : after.graph().initializer()) weights += t.dims_size() == 1;
  EXPECT_EQ(weights, 1) << after.graph().DebugString();
}

}  // namespace
}  // namespace isomer::formats
