#include "formats/onnx_opaque.h"

#include <onnx-ml.pb.h>

#include <algorithm>

#include "formats/onnx_random.h"
#include "formats/onnx_types.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {

std::string opaque_body(const onnx::NodeProto& node) {
  onnx::NodeProto body = node;
  body.clear_name();
  body.clear_doc_string();
  body.clear_metadata_props();
  body.clear_device_configurations();
  for (std::string& name : *body.mutable_input()) name = name.empty() ? "" : "x";
  for (std::string& name : *body.mutable_output()) name = name.empty() ? "" : "x";
  return body.SerializeAsString();
}

onnx::NodeProto label_of(const onnx::NodeProto& node) {
  onnx::NodeProto label;
  if (node.has_name()) label.set_name(node.name());
  if (node.has_doc_string()) label.set_doc_string(node.doc_string());
  *label.mutable_metadata_props() = node.metadata_props();
  *label.mutable_device_configurations() = node.device_configurations();
  return label;
}

namespace {

bool body_has_effects(const onnx::GraphProto& graph) {
  return std::ranges::any_of(graph.node(), [](const onnx::NodeProto& n) { return has_effects(n); });
}

}  // namespace

bool has_effects(const onnx::NodeProto& node) {
  if (!is_standard_domain(node.domain()) || is_random(node)) return true;
  for (const onnx::AttributeProto& a : node.attribute())
    if ((a.has_g() && body_has_effects(a.g())) || std::ranges::any_of(a.graphs(), body_has_effects))
      return true;
  return false;
}

ir::ValueId add_opaque(ir::Builder& builder, const std::string& format, const std::string& op,
                       const std::string& body, const std::vector<std::string>& captures,
                       const std::vector<ir::ValueId>& operands, ir::TypeId type, bool effects) {
  std::vector<ir::NamedAttr> attrs = {
      {"format", format}, {"op", op}, {"body", body}, {"type", static_cast<int64_t>(type.v)}};
  if (!captures.empty()) attrs.push_back({"captures", captures});
  if (effects) attrs.push_back({"identity", builder.context().fresh_identity()});
  const ir::OpId id = builder.context().ops().at("opaque");
  return builder.add_typed(id, builder.make_payload(id, attrs), operands, type);
}

ir::ValueId add_opaque_tensor(ir::Builder& builder, const char* format, const std::string& body,
                              const google::protobuf::RepeatedField<int64_t>& dims,
                              std::optional<ir::DType> dtype, const std::string& name) {
  ir::Context& ctx = builder.context();
  ir::Shape shape;
  for (const int64_t d : dims) shape.emplace_back(d);
  const ir::TypeId type = dtype ? ctx.tensor_type(*dtype, std::move(shape)) : ctx.intern(ir::Type::unknown());
  const ir::ValueId v = add_opaque(builder, format, "Constant", body, {}, {}, type, false);
  builder.set_name(v, name);
  return v;
}

ir::ValueId add_absent_weight(ir::Builder& builder, const std::string& name, ir::TypeId type) {
  const ir::Type& tensor = builder.context().get(type);
  REQUIRE(tensor.is_static_tensor(), "a weight of unknown size");
  onnx::TensorProto head;
  head.set_data_type(onnx_number(tensor.dtype));
  for (const ir::Dim& d : tensor.shape) head.add_dims(d.size());
  head.set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto& place = *head.add_external_data();
  place.set_key("location");
  place.set_value("-");
  const ir::ValueId v =
      add_opaque(builder, kOpaqueTensor, "tensor", head.SerializeAsString(), {}, {}, type, false);
  builder.set_name(v, name);
  return v;
}

OpaqueView view_opaque(const ir::Graph& graph, ir::ValueId v) {
  std::vector<ir::TypeId> none;
  const ir::OpInstance op(graph.context(), graph.def(v), graph.attrs(v), none);
  OpaqueView view{op.s("format"), op.s("op"), op.s("body"), {}};
  if (op.has("captures")) {
    const int index = op.op.attr_index("captures");
    view.captures =
        std::get<std::vector<std::string>>(graph.context().get(op.attrs[static_cast<size_t>(index)]));
  }
  return view;
}

}  // namespace isomer::formats
