// The inside of OnnxEnvelope, for reader and writer. Includes protobuf: for .cpp files only.
#pragma once

#include <onnx-ml.pb.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formats/onnx.h"
#include "formats/onnx_types.h"
#include "ir/constant.h"

namespace isomer::formats {

struct OnnxEnvelope::Parts {
  /// The model without nodes, initializers and value infos; dimensions fixed.
  onnx::ModelProto model;
  /// Name, doc string and metadata of the node that makes a value, by the value's name.
  std::unordered_map<std::string, onnx::NodeProto> labels;
  /// Initializers that are inputs too (defaults that a caller may override), or that nothing uses.
  std::vector<std::pair<std::string, ir::Constant>> loose_constants;
  std::vector<onnx::TensorProto> loose_tensors;  ///< the same, of types that are no constants here
  std::vector<onnx::SparseTensorProto> loose_sparse_tensors;
  std::vector<std::string> data_files;  ///< paths of the external data that was read
  /// Of a body: names that values of the program around it have, and new ones of its own must not get.
  std::unordered_set<std::string> around;
};

/// The version of a domain ("" is the default one, also spelled "ai.onnx") that is imported; 0: none.
int64_t imported_opset(const onnx::ModelProto& model, const std::string& domain);

}  // namespace isomer::formats
