// Types of what opaque nodes yield: what is asked of another program, what is believed of its answers, and
// what wrong ones lead to.
#include "formats/onnx_opaque_types.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include "ir/op_table.h"
#include "ir/same_structure.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::Dim;
using ir::DType;

/// A size, a name, or (empty text) nothing.
using Size = std::variant<int, const char*>;

onnx::TypeProto type_of(const std::vector<Size>& sizes, int element = onnx::TensorProto::FLOAT) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(element);
  auto& shape = *type.mutable_tensor_type()->mutable_shape();
  for (const Size& size : sizes) {
    auto& dim = *shape.add_dim();
    if (const int* number = std::get_if<int>(&size))
      dim.set_dim_value(*number);
    else if (*std::get<const char*>(size) != 0)
      dim.set_dim_param(std::get<const char*>(size));
  }
  return type;
}

std::string text(const std::vector<Size>& sizes, int element = onnx::TensorProto::FLOAT) {
  return type_of(sizes, element).SerializeAsString();
}

/// A model in pieces. "Mystery" is no operator of ONNX's, so it stays opaque.
class Model {
 public:
  explicit Model(int opset = 17) {
    proto_.set_ir_version(8);
    proto_.add_opset_import()->set_version(opset);
  }
  void input(const char* name, const std::vector<Size>& sizes) {
    onnx::ValueInfoProto& info = *graph().add_input();
    info.set_name(name);
    *info.mutable_type() = type_of(sizes);
  }
  void declare(const char* name, const std::vector<Size>& sizes) {
    onnx::ValueInfoProto& info = *graph().add_value_info();
    info.set_name(name);
    *info.mutable_type() = type_of(sizes);
  }
  void weight(const char* name, int rows, int columns) {
    onnx::TensorProto& t = *graph().add_initializer();
    t.set_name(name);
    t.set_data_type(onnx::TensorProto::FLOAT);
    t.add_dims(rows);
    t.add_dims(columns);
    for (int i = 0; i < rows * columns; ++i) t.add_float_data(1);
  }
  void node(const char* op, const std::vector<const char*>& in, const std::vector<const char*>& out,
            const char* domain = "") {
    onnx::NodeProto& n = *graph().add_node();
    n.set_op_type(op);
    n.set_domain(domain);
    if (*domain != 0) {
      onnx::OperatorSetIdProto& import = *proto_.add_opset_import();
      import.set_domain(domain);
      import.set_version(1);
    }
    for (const char* name : in) n.add_input(name);
    for (const char* name : out) n.add_output(name);
  }
  void output(const char* name) { graph().add_output()->set_name(name); }
  void output(const char* name, const std::vector<Size>& sizes) {
    onnx::ValueInfoProto& info = *graph().add_output();
    info.set_name(name);
    *info.mutable_type() = type_of(sizes);
  }

  OnnxModel read(ir::Context& ctx, InferTypes infer = {}) const {
    OnnxReadOptions options;
    options.infer_types = std::move(infer);
    const std::string bytes = proto_.SerializeAsString();
    return read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "test.onnx", options);
  }

 private:
  onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  onnx::ModelProto proto_;
};

ir::ValueId value(const ir::Graph& graph, const std::string& name) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.name(ir::ValueId(i)) == name) return ir::ValueId(i);
  ADD_FAILURE() << "no value " << name;
  return {};
}
std::string shown(const OnnxModel& model, const std::string& name) {
  return print(model.graph.context(), model.graph.type_id(value(model.graph, name)));
}
bool is_opaque(const OnnxModel& model, const std::string& name) {
  return model.graph.def(value(model.graph, name)).name == "opaque";
}

/// y = Mystery(x), z = Relu(y).
Model mystery() {
  Model m;
  m.input("x", {"batch", 4});
  m.node("Mystery", {"x"}, {"y"});
  m.node("Relu", {"y"}, {"z"});
  m.output("z");
  return m;
}

TEST(OpaqueTypes, AnAnswerLetsTheNextNodeBeUnderstood) {
  ir::Context ctx(ir::standard_ops());
  EXPECT_TRUE(is_opaque(mystery().read(ctx), "z"));
  std::vector<std::string> questions;
  const OnnxModel m = mystery().read(ctx, [&](const std::string& question) {
    questions.push_back(question);
    return std::vector<std::string>{text({"batch", 7})};
  });
  EXPECT_FALSE(is_opaque(m, "z"));
  EXPECT_EQ(shown(m, "z"), "f32[batch,7]");
  EXPECT_EQ(m.types_inferred, 1);
  ASSERT_EQ(questions.size(), 1u);
  onnx::ModelProto asked;
  ASSERT_TRUE(asked.ParseFromString(questions[0]));
  ASSERT_EQ(asked.graph().node_size(), 1);
  EXPECT_EQ(asked.graph().node(0).op_type(), "Mystery");
  EXPECT_EQ(asked.graph().input(0).type().SerializeAsString(), text({"batch", 4}));
  EXPECT_EQ(asked.opset_import(0).version(), 17);
}

TEST(OpaqueTypes, NobodyIsAskedWhatIsKnownOrNotUsed) {
  ir::Context ctx(ir::standard_ops());
  const InferTypes never = [](const std::string&) {
    ADD_FAILURE() << "asked";
    return std::vector<std::string>();
  };
  Model declared = mystery();
  declared.declare("y", {"batch", 7});
  const OnnxModel m = declared.read(ctx, never);
  EXPECT_EQ(shown(m, "z"), "f32[batch,7]");
  EXPECT_EQ(m.types_inferred, 0);
  Model ruled;
  ruled.input("x", {"batch", 4});
  ruled.node("Mystery", {"x"}, {"unused"});
  ruled.node("Hardmax", {"x"}, {"z"});
  ruled.output("z");
  EXPECT_EQ(shown(ruled.read(ctx, never), "z"), "f32[batch,4]");
}

/// Another program's names for sizes mean something within one answer only.
TEST(OpaqueTypes, NamesOfAnAnswerStayApart) {
  ir::Context ctx(ir::standard_ops());
  Model m;
  m.input("x", {"batch", 4});
  m.input("w", {"batch", 4});
  m.node("Mystery", {"x"}, {"a", "b"});
  m.node("Mystery", {"w"}, {"c", "d"});
  m.node("Mystery", {"x"}, {"e", "f"});
  m.node("Add", {"a", "b"}, {"within"});
  m.node("Add", {"a", "c"}, {"between"});
  m.node("Add", {"a", "e"}, {"equal"});
  m.node("Add", {"a", "g"}, {"anonymous"});
  m.node("Mystery", {"a"}, {"g", "h"});
  for (const char* name : {"within", "between", "equal", "anonymous", "d", "f", "h"}) m.output(name);
  const OnnxModel read = m.read(ctx, [](const std::string&) {
    return std::vector<std::string>{text({"unk__0", 3}), text({"unk__0", 3})};
  });
  EXPECT_FALSE(is_opaque(read, "within"));
  EXPECT_TRUE(is_opaque(read, "between")) << "two nodes, two sizes";
  EXPECT_FALSE(is_opaque(read, "equal")) << "equal nodes yield the same";
  EXPECT_TRUE(is_opaque(read, "anonymous"));
  EXPECT_EQ(shown(read, "within"), "f32[a:0,3]");
}

TEST(OpaqueTypes, WhatNobodyKnowsHasANameOfItsOwn) {
  ir::Context ctx(ir::standard_ops());
  const OnnxModel m = mystery().read(ctx, [](const std::string&) { return std::vector{text({"", 3})}; });
  EXPECT_EQ(shown(m, "z"), "f32[y:0,3]");
  EXPECT_FALSE(is_opaque(m, "z"));
}

// Dropout is left out, so that what it was given gets its name, and sizes that nobody knows another.
TEST(OpaqueTypes, ANodeThatLeavesNoTraceHandsItsTypeOn) {
  for (const char* alias : {"Identity", "Dropout"}) {
    ir::Context ctx(ir::standard_ops());
    Model m;
    m.input("x", {"batch", 4});
    m.node("Mystery", {"x"}, {"y"});
    m.node(alias, {"y"}, {"z"});
    m.output("z", {"", 4});
    const OnnxModel model = m.read(ctx);
    EXPECT_EQ(print(ctx, model.graph.type_id(model.graph.outputs()[0])), "f32[y:0,4]") << alias;
    const std::string bytes = write_onnx_bytes(model.graph, *model.envelope);
    const OnnxModel again = read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "again.onnx", {});
    EXPECT_EQ(print(ctx, again.graph.type_id(again.graph.outputs()[0])), "f32[z:0,4]") << alias;
    EXPECT_TRUE(ir::same_structure(model.graph, again.graph, ir::Identities::kRenamed)) << alias;
  }
}

// Before operator set 12 nothing says what a mask is; where nothing reads it that is no reason to keep the
// node.
TEST(OpaqueTypes, AnOldDropoutIsKeptWhereItsMaskIsRead) {
  for (const bool mask_is_read : {false, true}) {
    ir::Context ctx(ir::standard_ops());
    Model m(9);
    m.input("x", {2, 4});
    m.node("Dropout", {"x"}, {"kept", "mask"});
    m.node("Relu", {"kept"}, {"y"});
    m.output("y");
    if (mask_is_read) m.output("mask");
    EXPECT_EQ(m.read(ctx).notes.empty(), !mask_is_read);
  }
}

TEST(OpaqueTypes, SomebodyElsesIdentityIsNone) {
  ir::Context ctx(ir::standard_ops());
  Model m;
  m.input("x", {"batch", 4});
  m.node("Identity", {"x"}, {"y"}, "somebody");
  m.output("y", {"batch", 4});
  EXPECT_TRUE(is_opaque(m.read(ctx), "y"));
}

TEST(OpaqueTypes, OperandsThatAreKnownNumbersAreSentAlong) {
  ir::Context ctx(ir::standard_ops());
  Model m;
  m.input("x", {5, 4});
  m.node("Shape", {"x"}, {"shape"});
  m.node("Mystery", {"shape"}, {"y"});
  m.output("y");
  m.read(ctx, [](const std::string& question) {
    onnx::ModelProto asked;
    EXPECT_TRUE(asked.ParseFromString(question));
    EXPECT_EQ(asked.graph().initializer_size(), 1);
    EXPECT_EQ(asked.graph().initializer(0).int64_data(0), 5);
    return std::vector<std::string>();
  });
}

/// Answers that are none change nothing, whatever they are.
TEST(OpaqueTypes, NonsenseIsNoAnswer) {
  const std::vector<std::vector<std::string>> answers = {
      {},
      {""},
      {"\xff\xff nonsense"},
      {text({3}, 99)},
      {text({3}, 0)},
      {text({2147483647, 2147483647, 2147483647})},
      {onnx::TypeProto().SerializeAsString()},
      {"", text({3}), text({3})},
  };
  for (size_t i = 0; i < answers.size(); ++i) {
    ir::Context ctx(ir::standard_ops());
    const OnnxModel m = mystery().read(ctx, [&](const std::string&) { return answers[i]; });
    EXPECT_TRUE(is_opaque(m, "z")) << "answer " << i;
  }
}

/// It would hide what nobody knows, as a type that is no tensor's; so would a sequence of such tensors.
TEST(OpaqueTypes, ATensorWithoutAnElementTypeIsNoClaim) {
  onnx::TypeProto sequence;
  *sequence.mutable_sequence_type()->mutable_elem_type() = type_of({3}, 0);
  for (const std::string& answer : {text({3}, 0), text({3}, 99), sequence.SerializeAsString()}) {
    ir::Context ctx(ir::standard_ops());
    const OnnxModel m = mystery().read(ctx, [&](const std::string&) { return std::vector{answer}; });
    EXPECT_EQ(m.types_inferred, 0);
    EXPECT_EQ(m.graph.type_id(value(m.graph, "y")), ctx.intern(ir::Type::unknown()));
  }
  *sequence.mutable_sequence_type()->mutable_elem_type() = type_of({3});
  ir::Context ctx(ir::standard_ops());
  const InferTypes knows = [&](const std::string&) { return std::vector{sequence.SerializeAsString()}; };
  const OnnxModel m = mystery().read(ctx, knows);
  EXPECT_NE(m.graph.type_id(value(m.graph, "y")), ctx.intern(ir::Type::unknown()));
}

/// Why Mystery and Add are kept: the sum's operands are y, of which `said` is declared, and x.
std::vector<std::string> causes(const std::vector<Size>& said) {
  Model m;
  m.input("x", {"batch", 4});
  m.node("Mystery", {"x"}, {"y"});
  if (!said.empty()) m.declare("y", said);
  m.node("Add", {"y", "x"}, {"z"});
  m.output("z");
  ir::Context ctx(ir::standard_ops());
  return m.read(ctx).notes;
}

TEST(OpaqueTypes, CausesThatFollowFromAnotherNodeComeLast) {
  for (const std::vector<Size>& said : {std::vector<Size>{}, std::vector<Size>{"rows", 4}}) {
    const std::vector<std::string> notes = causes(said);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(notes[0], "1 x opaque Mystery: unknown operator");
    EXPECT_TRUE(notes[1].starts_with("1 x opaque Add: ")) << notes[1];
  }
  EXPECT_EQ(causes({"batch", 4}).size(), 1u);
  // Sizes of inputs are nobody else's: "the sizes of its operands are not known" is a cause of its own.
  Model m;
  m.input("x", {"batch", 4});
  m.input("w", {"rows", 4});
  m.node("Mystery", {"x"}, {"y"});
  m.node("Add", {"x", "w"}, {"z"});
  m.output("y");
  m.output("z");
  ir::Context ctx(ir::standard_ops());
  EXPECT_TRUE(m.read(ctx).notes.at(0).starts_with("1 x opaque Add: ")) << m.read(ctx).notes.at(0);
}

/// A claim that what follows cannot be true of is dropped with all others; the model is valid.
TEST(OpaqueTypes, AClaimThatMakesTheModelImpossibleIsNotBelieved) {
  ir::Context ctx(ir::standard_ops());
  Model m;
  m.input("x", {2, 4});
  m.weight("w", 4, 3);
  m.node("Mystery", {"x"}, {"y"});
  m.node("MatMul", {"y", "w"}, {"z"});
  m.output("z");
  const OnnxModel read = m.read(ctx, [](const std::string&) { return std::vector{text({2, 5})}; });
  EXPECT_TRUE(is_opaque(read, "z"));
  EXPECT_EQ(read.types_inferred, 0);
  EXPECT_NE(read.notes.back().find("contradict"), std::string::npos);
  // What is wrong without any claim stays wrong.
  Model bad;
  bad.input("x", {2, 5});
  bad.weight("w", 4, 3);
  bad.node("Mystery", {"x"}, {"y"});
  bad.node("Relu", {"y"}, {"r"});
  bad.node("MatMul", {"x", "w"}, {"z"});
  bad.output("z");
  bad.output("r");
  EXPECT_THROW(bad.read(ctx, [](const std::string&) { return std::vector{text({2, 5})}; }), InputError);
}

TEST(OpaqueTypes, RuleAndFileFillEachOtherIn) {
  ir::Context ctx(ir::standard_ops());
  const Dim n = Dim::symbol(ctx.symbol("N")), m = Dim::symbol(ctx.symbol("M"));
  const auto f32 = [&](ir::Shape shape) { return ctx.tensor_type(DType::kF32, std::move(shape)); };
  const ir::TypeId none = ctx.intern(ir::Type::unknown());
  EXPECT_EQ(agreed_type(ctx, {}, f32({n})), f32({n}));
  EXPECT_EQ(agreed_type(ctx, f32({n}), none), f32({n}));
  EXPECT_EQ(agreed_type(ctx, f32({n, Dim::unknown()}), f32({Dim::unknown(), Dim(3)})), f32({n, Dim(3)}));
  EXPECT_EQ(agreed_type(ctx, f32({Dim(3), n}), f32({n, m})), f32({Dim(3), m}));
  EXPECT_EQ(agreed_type(ctx, f32({Dim(3), n}), f32({Dim(4), n})), f32({Dim(3), n}));
  EXPECT_EQ(agreed_type(ctx, f32({n}), f32({n, n})), f32({n}));
  EXPECT_EQ(agreed_type(ctx, f32({n}), ctx.tensor_type(DType::kI64, {n})), f32({n}));
  EXPECT_EQ(filled_type(ctx, f32({n, Dim::unknown()}), f32({m, m})), f32({n, m}));
  EXPECT_EQ(filled_type(ctx, f32({n}), f32({n, m})), f32({n}));
  EXPECT_EQ(filled_type(ctx, none, f32({n})), f32({n}));
  EXPECT_EQ(filled_type(ctx, none, {}), none);
}

TEST(OnnxTypes, OperandsOfASumAfterAConvolutionAreDeclared) {
  ir::Context ctx(ir::standard_ops());
  const auto declared = [&](const std::string& sizes) {
    const ir::Graph graph = ir::parse_graph(ctx, fmt::format(R"(graph {{
      %x = input{{name="x"}} : f32[1,4,{0}]
      %k = input{{name="k"}} : f32[4,4,3,3]
      %a = relu(%x) : f32[1,4,{0}] "a"
      %c = conv{{strides=[1,1], dilations=[1,1], pads=[1,1,1,1]}}(%a, %k) : f32[1,4,{0}] "c"
      %s = add(%a, %c) : f32[1,4,{0}] "s"
      return %s }})",
                                                             sizes));
    onnx::ModelProto written;
    EXPECT_TRUE(written.ParseFromString(write_onnx_bytes(graph, *OnnxEnvelope::plain(graph))));
    std::vector<std::string> out;
    for (const auto& info : written.graph().value_info())
      out.push_back(info.name() + " " + info.type().tensor_type().shape().dim(2).dim_param());
    return out;
  };
  EXPECT_EQ(declared("h,w"), (std::vector<std::string>{"a h", "c h"}));
  EXPECT_TRUE(declared("5,7").empty());
}

}  // namespace
}  // namespace isomer::formats
