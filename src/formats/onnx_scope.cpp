#include "formats/onnx_scope.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>

namespace isomer::formats {
namespace {

using Names = std::unordered_set<std::string>;
using Visit = std::function<void(std::string& name)>;

/// Names that a graph defines itself.
void add_definitions(const onnx::GraphProto& graph, Names& names) {
  for (const auto& info : graph.input()) names.insert(info.name());
  for (const auto& t : graph.initializer()) names.insert(t.name());
  for (const auto& t : graph.sparse_initializer()) names.insert(t.values().name());
  for (const auto& node : graph.node())
    for (const std::string& name : node.output()) names.insert(name);
}

void visit_bodies(onnx::NodeProto& node, const Names& inner, const Visit& visit);

/// Calls `visit` for each use of a name that is not among `inner` (what enclosing bodies define).
void visit_graph(onnx::GraphProto& graph, const Names& outer_inner, const Visit& visit) {
  Names inner = outer_inner;
  add_definitions(graph, inner);
  const auto use = [&](std::string& name) {
    if (!name.empty() && !inner.contains(name)) visit(name);
  };
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (std::string& name : *node.mutable_input()) use(name);
    visit_bodies(node, inner, visit);
  }
  for (onnx::ValueInfoProto& info : *graph.mutable_output()) use(*info.mutable_name());
}

void visit_bodies(onnx::NodeProto& node, const Names& inner, const Visit& visit) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) visit_graph(*attribute.mutable_g(), inner, visit);
    for (onnx::GraphProto& g : *attribute.mutable_graphs()) visit_graph(g, inner, visit);
  }
}

bool has_bodies(const onnx::NodeProto& node) {
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.has_g() || attribute.graphs_size() > 0) return true;
  return false;
}

}  // namespace

std::vector<std::string> captured_names(const onnx::NodeProto& node) {
  if (!has_bodies(node)) return {};
  std::vector<std::string> names;
  Names seen;
  // The visitor only looks here; sharing the walk with renaming is worth the cast.
  visit_bodies(const_cast<onnx::NodeProto&>(node), {}, [&](std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  });
  return names;
}

std::unordered_set<std::string> used_names(const onnx::GraphProto& graph) {
  Names names;
  for (const onnx::NodeProto& node : graph.node()) {
    names.insert(node.input().begin(), node.input().end());
    for (std::string& name : captured_names(node)) names.insert(std::move(name));
  }
  for (const onnx::ValueInfoProto& output : graph.output()) names.insert(output.name());
  names.erase("");
  return names;
}

void rename_captures(onnx::NodeProto& node, const std::unordered_map<std::string, std::string>& names) {
  visit_bodies(node, {}, [&](std::string& name) {
    if (const auto it = names.find(name); it != names.end()) name = it->second;
  });
}

std::vector<std::string> number_captures(onnx::NodeProto& node, std::vector<ir::ValueId>& operands,
                                         const std::function<ir::ValueId(const std::string&)>& value) {
  const std::vector<std::string> used = captured_names(node);
  if (used.empty()) return {};
  std::unordered_set<std::string> taken;
  collect_names(node, taken);
  for (const std::string& name : used) taken.erase(name);
  std::string stem = "outer_";
  while (std::ranges::any_of(taken, [&](const std::string& name) { return name.starts_with(stem); }))
    stem += '_';
  std::unordered_map<std::string, std::string> numbered;
  std::unordered_map<uint32_t, std::string> by_value;
  std::vector<std::string> captures;
  for (const std::string& name : used) {
    const ir::ValueId v = value(name);
    const auto [it, fresh] = by_value.emplace(v.v, fmt::format("{}{}", stem, captures.size()));
    numbered[name] = it->second;
    if (!fresh) continue;
    captures.push_back(it->second);
    operands.push_back(v);
  }
  rename_captures(node, numbered);
  return captures;
}

const onnx::GraphProto* find_graph(const onnx::NodeProto& node, std::string_view attribute) {
  for (const onnx::AttributeProto& a : node.attribute())
    if (a.name() == attribute && a.has_g()) return &a.g();
  return nullptr;
}

void collect_names(const onnx::NodeProto& node, std::unordered_set<std::string>& names) {
  const std::function<void(const onnx::GraphProto&)> collect = [&](const onnx::GraphProto& graph) {
    add_definitions(graph, names);
    for (const onnx::NodeProto& n : graph.node()) {
      names.insert(n.input().begin(), n.input().end());
      collect_names(n, names);
    }
  };
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) collect(attribute.g());
    for (const onnx::GraphProto& g : attribute.graphs()) collect(g);
  }
}

}  // namespace isomer::formats
