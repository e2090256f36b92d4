// The parts of the ONNX reader and writer by themselves: the wire format's outline, certain broadcasts, names
// across the borders of subgraphs.
#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include <array>

#include "formats/onnx_broadcast.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_wire.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::Dim;
using ir::DType;
using ir::Shape;

TEST(OnnxWire, CutsLargeRawDataOutAndNothingElse) {
  onnx::ModelProto model;
  model.set_producer_name("somebody");
  for (const size_t size : {size_t{16}, size_t{5000}, size_t{0}, size_t{2000}}) {
    onnx::TensorProto& t = *model.mutable_graph()->add_initializer();
    t.set_name("t" + std::to_string(size));
    t.set_raw_data(std::string(size, static_cast<char>('a' + size % 7)));
  }
  model.mutable_graph()->add_node()->set_op_type("Relu");
  const std::string whole = model.SerializeAsString();
  const OnnxOutline outline = skim_onnx(std::as_bytes(std::span(whole.data(), whole.size())), "m");
  ASSERT_EQ(outline.raw_data.size(), 4u);
  onnx::ModelProto rest;
  ASSERT_TRUE(rest.ParseFromString(outline.model));
  for (int i = 0; i < 4; ++i) {
    onnx::TensorProto& t = *rest.mutable_graph()->mutable_initializer(i);
    const auto& cut = outline.raw_data[static_cast<size_t>(i)];
    EXPECT_EQ(cut.has_value(), i == 1 || i == 3);
    if (cut) t.set_raw_data(whole.substr(cut->offset, cut->length));
  }
  EXPECT_EQ(rest.SerializeAsString(), whole);
}

TEST(OnnxWire, EveryTruncationIsFound) {
  onnx::ModelProto model;
  model.mutable_graph()->add_initializer()->set_raw_data(std::string(2000, 'x'));
  model.mutable_graph()->set_name("g");
  const std::string whole = model.SerializeAsString();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(skim_onnx(std::as_bytes(std::span(whole.data(), size)), "m"), InputError) << size;
}

TEST(OnnxBroadcast, OnlyWhatIsCertain) {
  ir::Context ctx(ir::standard_ops());
  const Dim n = Dim::symbol(ctx.symbol("N"));
  const Dim m = Dim::symbol(ctx.symbol("M"));
  const auto common = [](Shape a, Shape b) { return common_shape(std::array{std::move(a), std::move(b)}); };
  EXPECT_EQ(common({Dim(4), Dim(1)}, {Dim(3)}), (Shape{Dim(4), Dim(3)}));
  EXPECT_EQ(common({n, Dim(1)}, {Dim(3)}), (Shape{n, Dim(3)}));
  EXPECT_EQ(common({n}, {n}), Shape{n});
  EXPECT_EQ(common({n}, {m}), std::nullopt) << "one of them may be 1";
  EXPECT_EQ(common({n}, {Dim(4)}), std::nullopt);
  EXPECT_EQ(common({Dim::unknown()}, {Dim(1)}), std::nullopt);
  EXPECT_EQ(common({Dim(2)}, {Dim(3)}), std::nullopt);
  EXPECT_TRUE(never_broadcast(std::array{Shape{Dim(2)}, Shape{Dim(3)}}));
  EXPECT_FALSE(never_broadcast(std::array{Shape{Dim(2)}, Shape{Dim(1)}, Shape{n}}));
}

TEST(OnnxScope, CapturesAreWhatNoBodyDefines) {
  onnx::NodeProto node;
  node.add_input("condition");
  onnx::GraphProto& body = *node.add_attribute()->mutable_g();
  onnx::NodeProto& first = *body.add_node();
  first.add_input("outer");
  first.add_output("inner");
  onnx::NodeProto& second = *body.add_node();
  second.add_input("inner");
  second.add_output("result");
  onnx::GraphProto& nested = *second.add_attribute()->mutable_g();
  nested.add_node()->add_input("inner");
  nested.mutable_node(0)->add_input("far");
  nested.mutable_node(0)->add_output("deep");
  nested.add_output()->set_name("deep");
  body.add_output()->set_name("result");
  EXPECT_EQ(captured_names(node), (std::vector<std::string>{"outer", "far"}));
  rename_captures(node, {{"outer", "a"}, {"far", "b"}, {"condition", "c"}, {"inner", "wrong"}});
  EXPECT_EQ(captured_names(node), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(node.input(0), "condition");
  EXPECT_EQ(body.node(1).input(0), "inner");
  std::unordered_set<std::string> names;
  collect_names(node, names);
  for (const char* name : {"a", "b", "inner", "deep", "result"}) EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace isomer::formats
