// Which nodes draw random numbers: two runs of a model with one differ, and so do the model and its equal.
#pragma once

#include <string>
#include <unordered_set>

namespace onnx {
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace isomer::formats {

/// Whether the node's operator is one of ONNX's that may draw random numbers, seed or not: Dropout among
/// them.
bool is_random(const onnx::NodeProto& node);

/// Knows the random operators of ONNX that were given no seed (with one, a runtime draws the same numbers
/// each time), and Dropout that may be in training, also within bodies and within the model's functions. What
/// operators of other domains do is not known: none of them counts.
class RandomNodes {
 public:
  /// Keeps no reference to the model.
  explicit RandomNodes(const onnx::ModelProto& model);
  /// For nodes of the model's graph.
  bool draws(const onnx::NodeProto& node) const { return draws(node, constant_false_); }

 private:
  using Names = std::unordered_set<std::string>;
  bool draws(const onnx::NodeProto& node, const Names& constant_false) const;
  bool draws(const onnx::GraphProto& body, const Names& constant_false) const;
  bool draws(const onnx::FunctionProto& function) const;

  Names constant_false_;  // values that are a constant false
  Names functions_;       // "domain|name" of those that draw
};

}  // namespace isomer::formats
