// Names across the borders of subgraphs (bodies of If, Loop, Scan): which outer values a node's bodies refer
// to, and renaming them.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace isomer::formats {

/// Outer names that the node's subgraphs use, each once, in the order of first use.
std::vector<std::string> captured_names(const onnx::NodeProto& node);
/// Every name that a node of the graph, a body within or an output of the graph reads.
std::unordered_set<std::string> used_names(const onnx::GraphProto& graph);
/// Renames these outer names within the node's subgraphs.
void rename_captures(onnx::NodeProto& node, const std::unordered_map<std::string, std::string>& names);
/// Adds the outer values that the node's bodies use to its operands. In the bodies they get numbers for
/// names, which are returned, one for each value: what it is called outside is no part of the operator.
std::vector<std::string> number_captures(onnx::NodeProto& node, std::vector<ir::ValueId>& operands,
                                         const std::function<ir::ValueId(const std::string&)>& value);
/// The body that is an attribute of this name; null where there is none.
const onnx::GraphProto* find_graph(const onnx::NodeProto& node, std::string_view attribute);
/// Every name that the node's subgraphs define or use.
void collect_names(const onnx::NodeProto& node, std::unordered_set<std::string>& names);

}  // namespace isomer::formats
