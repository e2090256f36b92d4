// What a written node is called: labels (name, doc string, metadata) are those that were read, a node name
// stands once in a graph. A node of the original may be written as several (parts of a split that became
// slices), or as none, so names that repeat get a number; nodes that are written as they were read choose
// first.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace onnx {
class NodeProto;
}

namespace isomer::formats {

class NodeLabels {
 public:
  /// Labels by the names of the values that their nodes make (onnx_envelope.h). Kept by reference.
  explicit NodeLabels(const std::unordered_map<std::string, onnx::NodeProto>& by_value);

  /// Names of nodes in the bodies of this node stay as they are; numbered names avoid them.
  void avoid_bodies(const onnx::NodeProto& node);
  /// Chooses the name of the node that makes `value` before any that was not asked for yet. `made`: names of
  /// what it makes, those that the reader gave first.
  void choose(uint32_t value, const std::vector<std::string>& made);
  /// Label and name for that node.
  void put(onnx::NodeProto& node, uint32_t value, const std::vector<std::string>& made);
  /// The same for a node that stands for no value of the graph: a copy for an output.
  void put(onnx::NodeProto& node, const std::string& made);

 private:
  const onnx::NodeProto* find(const std::vector<std::string>& made) const;
  std::string unique(const std::string& wanted);
  void put(onnx::NodeProto& node, const onnx::NodeProto& label, const std::string& name) const;

  const std::unordered_map<std::string, onnx::NodeProto>& by_value_;
  std::unordered_set<std::string> avoided_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<uint32_t, std::string> chosen_;
  std::unordered_map<std::string, int> next_number_;  // by wanted name
};

}  // namespace isomer::formats
