// From a graph to the parts of an ONNX model. Includes protobuf: for .cpp files only.
#pragma once

#include <onnx-ml.pb.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formats/onnx_envelope.h"
#include "formats/onnx_labels.h"
#include "ir/constant.h"

namespace isomer::formats {

/// A model to be saved: the message without large weights, and the weights where they are.
struct OnnxParts {
  struct Weight {
    onnx::TensorProto head;  ///< without data
    ir::Constant data;
  };
  onnx::ModelProto model;  ///< with graph, without the initializers below
  std::vector<Weight> weights;
};

/// Names values, absorbs broadcasts, writes nodes.
class ModelWriter {
 public:
  ModelWriter(const ir::Graph& graph, const OnnxEnvelope& envelope, bool contrib);

  OnnxParts run();

  // For NodeWriter.
  const Dialect& dialect() const { return dialect_; }
  const std::string& name(ir::ValueId v);
  /// Whether anything needs that element of a tuple.
  bool is_needed(ir::ValueId tuple, size_t element) const;
  /// A node that makes `value`: its outputs are the value's names.
  onnx::NodeProto& add_node(ir::ValueId value, const std::string& op_type, const std::string& domain,
                            const std::vector<std::string>& inputs);
  /// A node that makes what another one needs, with one result.
  onnx::NodeProto& add_helper(const std::string& op_type, const std::vector<std::string>& inputs);
  /// Name of an initializer with these contents; equal ones are shared.
  std::string add_initializer(ir::DType dtype, const std::vector<int64_t>& shape,
                              std::vector<std::byte> bytes);

 private:
  ir::ValueId resolve(ir::ValueId v);
  void plan();
  void name_values();
  std::string fresh_name();
  std::string claim(const std::string& wanted);
  std::vector<std::string> output_names(ir::ValueId v);
  void write_value(ir::ValueId v);
  void write_opaque(ir::ValueId v);
  void declare_equal_operands(ir::ValueId v);
  void write_outputs();
  /// Names of what the node of this value makes: as they were read, then as they are written.
  std::vector<std::string> made_by(ir::ValueId v) const;
  void add_loose();
  void finish_model();
  onnx::GraphProto& out() { return *parts_.model.mutable_graph(); }

  const ir::Graph& graph_;
  const OnnxEnvelope::Parts& envelope_;
  Dialect dialect_;
  OnnxParts parts_;
  std::vector<ir::ValueId> canonical_;  // by value
  std::map<std::pair<uint32_t, int64_t>, ir::ValueId>
      element_;                                     // (tuple, index) -> the `get` that stands for it
  std::vector<std::vector<ir::ValueId>> operands_;  // by value, resolved, broadcasts absorbed
  std::vector<bool> needed_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;      // names of values
  std::unordered_set<std::string> avoided_;    // names that new values must not get
  std::map<std::string, std::string> shared_;  // contents -> initializer
  std::unordered_set<uint32_t> declared_;      // values whose types are said
  NodeLabels labels_;
  uint64_t next_name_ = 0;
};

/// The first value that a result needs and that the dialect has no word for as it is.
std::optional<ir::ValueId> first_unspelled(const ir::Graph& graph, const Dialect& dialect);
/// The graph with composites that the dialect cannot say replaced by their definitions.
ir::Graph legalise(const ir::Graph& graph, const Dialect& dialect);

}  // namespace isomer::formats
