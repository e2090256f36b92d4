#include "formats/onnx_control_node.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/hlo_graph.h"
#include "formats/onnx_nesting.h"
#include "formats/onnx_opaque.h"
#include "formats/onnx_write.h"
#include "ir/graph_copy.h"
#include "ir/loop_counts.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::AttrRole;
using ir::ValueId;
using Rename = std::function<std::string(const std::string&)>;

/// All names of values, those of bodies within too: a body that refers to nothing around it has no others.
void rename_all(onnx::GraphProto& graph, const Rename& renamed) {
  const auto rename = [&](std::string* name) {
    if (!name->empty()) *name = renamed(*name);
  };
  for (auto* infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
    for (onnx::ValueInfoProto& info : *infos) rename(info.mutable_name());
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) rename(tensor.mutable_name());
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (auto* names : {node.mutable_input(), node.mutable_output()})
      for (std::string& name : *names) rename(&name);
    for (onnx::AttributeProto& a : *node.mutable_attribute())
      if (a.has_g()) rename_all(*a.mutable_g(), renamed);
  }
}

class ControlNode {
 public:
  ControlNode(ir::Builder& builder, const ir::OpInstance& op, std::span<const ValueId> operands,
              const Dialect& dialect)
      : b_(builder), op_(op), operands_(operands.begin(), operands.end()), dialect_(dialect) {}

  ValueId loop() {
    ir::Context& ctx = b_.context();
    ir::Builder body(ctx, "body");
    body.input("round", ctx.tensor_type(ir::DType::kI64, {}));
    body.input("goes_on", ctx.tensor_type(ir::DType::kBool, {}));
    std::vector<ValueId> states;
    for (const ValueId v : operands_)
      states.push_back(body.input(fmt::format("state{}", states.size()), b_.type_id(v)));
    std::vector<ValueId> next = within(body, AttrRole::kBody, states);
    next.insert(next.begin(), within(body, AttrRole::kCondition, next)[0]);
    const ir::Graph program = body.finish(next);
    node_.set_op_type("Loop");
    node_.add_input();  // any number of rounds
    for (size_t i = 0; i <= operands_.size(); ++i) node_.add_input("x");
    if (!add_body("body", program, Reads::kInputs)) return {};
    std::vector<ValueId> given = within(b_, AttrRole::kCondition, operands_);
    given.insert(given.end(), operands_.begin(), operands_.end());
    return add("loop", given, operands_.size(),
               {{"region", region(program)},
                {"given", std::vector{ir::kLoopGoesOn}},
                {"states", static_cast<int64_t>(operands_.size())},
                {"trips", int64_t{-1}}});
  }

  ValueId choice() {
    node_.set_op_type("If");
    node_.add_input("x");
    std::vector<std::string> captures;
    for (size_t i = 1; i < operands_.size(); ++i) captures.push_back(fmt::format("{}{}", kCapture, i - 1));
    for (const auto& [role, name] :
         {std::pair(AttrRole::kBody, "then_branch"), std::pair(AttrRole::kOtherwise, "else_branch")}) {
      ir::Builder branch(b_.context(), name);
      std::vector<ValueId> inputs;
      for (size_t i = 1; i < operands_.size(); ++i)
        inputs.push_back(branch.input(captures[i - 1], b_.type_id(operands_[i])));
      if (!add_body(name, branch.finish(within(branch, role, inputs)), Reads::kAround)) return {};
    }
    std::vector<ir::NamedAttr> attrs = {{"region", number(op_.region(AttrRole::kBody))},
                                        {"otherwise", number(op_.region(AttrRole::kOtherwise))}};
    if (!captures.empty()) attrs.push_back({"captures", captures});
    return add("if", operands_, results(), std::move(attrs));
  }

 private:
  static constexpr const char* kCapture = "outer_";
  enum class Reads : uint8_t { kInputs, kAround };  ///< where a body has from what it is given

  static int64_t number(ir::RegionId id) { return static_cast<int64_t>(id.index()); }
  int64_t region(const ir::Graph& program) {
    return number(b_.context().add(std::make_shared<const ir::Graph>(program)));
  }
  size_t results() const {
    const ir::Type& type = op_.ctx.get(op_.output);
    return type.is_tensor() ? 1 : type.elements.size();
  }

  /// The region written out: what it gives of these values.
  std::vector<ValueId> within(ir::Builder& into, AttrRole role, const std::vector<ValueId>& given) {
    const ir::Graph& program = op_.ctx.get(op_.region(role));
    ir::GraphCopy copy(into, program, ir::GraphCopy::Names::kDropped);
    for (size_t i = 0; i < given.size(); ++i) copy[program.inputs()[i]] = given[i];
    copy.rest();
    return copy.outputs();
  }

  /// Names of a body are none of the program's around it: a capture keeps its own, all others get a prefix
  /// that no name of HLO has. What is not in the inputs' list then is what the body refers to.
  bool add_body(const char* attribute, const ir::Graph& with_memory, Reads reads) {
    const ir::Graph program = legalise(without_memory(with_memory), dialect_);
    if (first_unspelled(program, dialect_)) return false;
    const auto envelope = OnnxEnvelope::plain(program, dialect_.opset);
    onnx::ModelProto model;
    REQUIRE(parse_nested(model, write_onnx_bytes(program, *envelope, dialect_.contrib)),
            "a body that is no model");
    onnx::AttributeProto& a = *node_.add_attribute();
    a.set_name(attribute);
    a.set_type(onnx::AttributeProto::GRAPH);
    onnx::GraphProto& graph = *a.mutable_g();
    graph = std::move(*model.mutable_graph());
    if (reads == Reads::kAround) graph.clear_input();
    rename_all(graph, [&](const std::string& name) {
      const bool is_around = reads == Reads::kAround && name.starts_with(kCapture);
      return is_around ? name : fmt::format("{}/{}", attribute, name);
    });
    return true;
  }

  ValueId add(const char* name, const std::vector<ValueId>& operands, size_t results,
              std::vector<ir::NamedAttr> attrs) {
    for (size_t i = 0; i < results; ++i) node_.add_output("x");
    for (const ir::NamedAttr& more :
         {ir::NamedAttr{"format", std::string(kOpaqueNode)}, ir::NamedAttr{"op", node_.op_type()},
          ir::NamedAttr{"body", opaque_body(node_)}})
      attrs.push_back(more);
    return b_.add(name, operands, std::move(attrs));
  }

  ir::Builder& b_;
  const ir::OpInstance& op_;
  std::vector<ValueId> operands_;
  const Dialect& dialect_;
  onnx::NodeProto node_;
};

}  // namespace

bool is_repeated_or_chosen(const ir::OpDef& op) {
  return !op.is(ir::Core::kOpaque) && op.kind == ir::MeaningKind::kProcedural &&
         (op.has_role(AttrRole::kCondition) || op.has_role(AttrRole::kOtherwise));
}

ValueId control_node(ir::Builder& builder, const ir::OpInstance& op, std::span<const ValueId> operands,
                     const Dialect& dialect) {
  ControlNode node(builder, op, operands, dialect);
  return op.op.has_role(AttrRole::kCondition) ? node.loop() : node.choice();
}

}  // namespace isomer::formats
