// The order of a graph's nodes, and the rules that names must keep.
#pragma once

#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace isomer::formats {

/// "node 'name' (Conv)" or "node 7 (Conv)": how messages call a node.
std::string describe(const onnx::NodeProto& node, int index);

/// Numbers of the graph's nodes such that each stands after what it needs; the given order where that is one.
/// Throws InputError naming the node when a value has two definitions, an input or output has none, or nodes
/// need each other in a circle.
std::vector<int> node_order(const onnx::GraphProto& graph, const std::string& file);

}  // namespace isomer::formats
