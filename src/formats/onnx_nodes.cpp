#include "formats/onnx_nodes.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx-ml.pb.h>

#include <algorithm>

#include "formats/onnx_nesting.h"
#include "formats/onnx_order.h"
#include "formats/onnx_random.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_types.h"
#include "ir/constant.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

std::string name_of(const onnx::NodeProto& node) {
  return is_standard_domain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
}

bool casts_to_bool(const onnx::NodeProto& node) {
  return node.op_type() == "Cast" && std::ranges::any_of(node.attribute(), [](const auto& a) {
           return a.name() == "to" && a.i() == onnx::TensorProto::BOOL;
         });
}

void list_operators_within(const onnx::NodeProto& node, std::vector<OnnxInner>& out) {
  const auto list = [&](const onnx::GraphProto& body) {
    for (const onnx::NodeProto& inner : body.node()) {
      out.push_back({name_of(inner), casts_to_bool(inner)});
      list_operators_within(inner, out);
    }
  };
  for (const onnx::AttributeProto& a : node.attribute()) {
    if (a.has_g()) list(a.g());
    for (const onnx::GraphProto& body : a.graphs()) list(body);
  }
}

OnnxNode to_node(const onnx::NodeProto& node, const RandomNodes& random) {
  OnnxNode out{name_of(node),
               {},
               {},
               {},
               node.name(),
               random.draws(node),
               node.input_size() > 0 && !node.input(0).empty()};
  for (const std::string& name : node.input())
    if (!name.empty()) out.inputs.push_back(name);
  for (std::string& name : captured_names(node)) out.inputs.push_back(std::move(name));
  for (const std::string& name : node.output())
    if (!name.empty()) out.outputs.push_back(name);
  for (const onnx::AttributeProto& a : node.attribute())
    if (a.has_i()) out.integers[a.name()] = a.i();
  list_operators_within(node, out.within);
  return out;
}

}  // namespace

OnnxNodes list_onnx_nodes(const std::string& path) {
  const google::protobuf::LogSilencer silence;
  const std::shared_ptr<const ir::Storage> storage = ir::map_file(path);
  onnx::ModelProto model;
  parse_model(model, storage->bytes(), path);
  OnnxNodes out;
  const RandomNodes random(model);
  for (int i : node_order(model.graph(), path)) out.nodes.push_back(to_node(model.graph().node(i), random));
  for (const auto& input : model.graph().input()) out.inputs.push_back(input.name());
  for (const auto& output : model.graph().output()) out.outputs.push_back(output.name());
  for (const auto& import : model.opset_import())
    if (is_standard_domain(import.domain())) out.opset = import.version();
  return out;
}

Places places_in(const OnnxNode& node, size_t result) {
  if (node.op == "ArgMax" || node.op == "ArgMin") return Places::kOfOne;
  const bool second = node.outputs.size() == 2 && result == 1;
  return node.op == "TopK" && second ? Places::kOfSeveral : Places::kNone;
}

bool goes_round(const OnnxNode& node) { return node.op == "Loop" || node.op == "Scan"; }
bool counts_rounds(const OnnxNode& node) { return node.op == "Loop" && node.first; }

bool hands_on(const OnnxNode& node) { return node.op == "Cast" || node.op == "Identity"; }

}  // namespace isomer::formats
