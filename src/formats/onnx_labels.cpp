#include "formats/onnx_labels.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

namespace isomer::formats {
namespace {

void collect_node_names(const onnx::GraphProto& graph, std::unordered_set<std::string>& names);

void collect_body_names(const onnx::NodeProto& node, std::unordered_set<std::string>& names) {
  for (const onnx::AttributeProto& a : node.attribute()) {
    if (a.has_g()) collect_node_names(a.g(), names);
    for (const onnx::GraphProto& g : a.graphs()) collect_node_names(g, names);
  }
}

void collect_node_names(const onnx::GraphProto& graph, std::unordered_set<std::string>& names) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (!node.name().empty()) names.insert(node.name());
    collect_body_names(node, names);
  }
}

}  // namespace

NodeLabels::NodeLabels(const std::unordered_map<std::string, onnx::NodeProto>& by_value)
    : by_value_(by_value) {
  for (const auto& [value, label] : by_value) avoided_.insert(label.name());
}

void NodeLabels::avoid_bodies(const onnx::NodeProto& node) { collect_body_names(node, avoided_); }

const onnx::NodeProto* NodeLabels::find(const std::vector<std::string>& made) const {
  for (const std::string& name : made)
    if (const auto it = by_value_.find(name); it != by_value_.end()) return &it->second;
  return nullptr;
}

std::string NodeLabels::unique(const std::string& wanted) {
  if (wanted.empty() || taken_.insert(wanted).second) return wanted;
  int& number = next_number_.try_emplace(wanted, 2).first->second;
  for (;;) {
    std::string name = fmt::format("{}_{}", wanted, number++);
    if (!avoided_.contains(name) && taken_.insert(name).second) return name;
  }
}

void NodeLabels::choose(uint32_t value, const std::vector<std::string>& made) {
  if (const onnx::NodeProto* label = find(made)) chosen_.try_emplace(value, unique(label->name()));
}

void NodeLabels::put(onnx::NodeProto& node, const onnx::NodeProto& label, const std::string& name) const {
  node.MergeFrom(label);
  if (!name.empty()) node.set_name(name);
}

void NodeLabels::put(onnx::NodeProto& node, uint32_t value, const std::vector<std::string>& made) {
  const onnx::NodeProto* label = find(made);
  if (label == nullptr) return;
  const auto it = chosen_.find(value);
  put(node, *label, it != chosen_.end() ? it->second : unique(label->name()));
}

void NodeLabels::put(onnx::NodeProto& node, const std::string& made) {
  if (const onnx::NodeProto* label = find({made})) put(node, *label, unique(label->name()));
}

}  // namespace isomer::formats
