#include "formats/onnx_envelope.h"
#include "formats/onnx_types.h"

namespace isomer::formats {

OnnxEnvelope::OnnxEnvelope(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
OnnxEnvelope::~OnnxEnvelope() = default;

std::shared_ptr<const OnnxEnvelope> OnnxEnvelope::plain(const ir::Graph& graph, int64_t opset) {
  auto parts = std::make_unique<Parts>();
  parts->model.set_ir_version(8);
  parts->model.set_producer_name("isomer");
  parts->model.add_opset_import()->set_version(opset);
  onnx::GraphProto& out = *parts->model.mutable_graph();
  out.set_name(graph.title().empty() ? "graph" : graph.title());
  for (ir::ValueId v : graph.inputs()) {
    onnx::ValueInfoProto& info = *out.add_input();
    info.set_name(graph.name(v));
    write_type(graph.context(), graph.type_id(v), *info.mutable_type());
  }
  for (ir::ValueId v : graph.outputs()) {
    onnx::ValueInfoProto& info = *out.add_output();
    info.set_name("output" + std::to_string(out.output_size() - 1));
    write_type(graph.context(), graph.type_id(v), *info.mutable_type());
  }
  return std::make_shared<const OnnxEnvelope>(std::move(parts));
}

int64_t OnnxEnvelope::opset() const { return imported_opset(parts_->model, ""); }
int64_t OnnxEnvelope::ir_version() const { return parts_->model.ir_version(); }

std::vector<std::string> OnnxEnvelope::input_names() const {
  std::vector<std::string> names;
  for (const auto& info : parts_->model.graph().input()) names.push_back(info.name());
  return names;
}

std::vector<std::string> OnnxEnvelope::output_names() const {
  std::vector<std::string> names;
  for (const auto& info : parts_->model.graph().output()) names.push_back(info.name());
  return names;
}

int64_t imported_opset(const onnx::ModelProto& model, const std::string& domain) {
  const auto plain = [](const std::string& name) { return is_standard_domain(name) ? std::string() : name; };
  int64_t version = 0;
  for (const onnx::OperatorSetIdProto& entry : model.opset_import())
    if (plain(entry.domain()) == plain(domain)) version = std::max<int64_t>(version, entry.version());
  return version;
}

}  // namespace isomer::formats
