// Opaque operators: an ONNX node, or a tensor that is no constant here, kept as it was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace google::protobuf {
template <class Element>
class RepeatedField;
}
namespace onnx {
class NodeProto;
}

namespace isomer::formats {

/// What `opaque` of these formats has as its body.
inline constexpr const char* kOpaqueNode = "onnx";                  ///< a NodeProto
inline constexpr const char* kOpaqueTensor = "onnx-tensor";         ///< a TensorProto: strings, unknown types
inline constexpr const char* kOpaqueSparse = "onnx-sparse-tensor";  ///< a SparseTensorProto

/// The node without names: present inputs and outputs are "x", absent ones "". What a label keeps (name, doc
/// string, metadata) is left out, so that equal nodes have equal bodies.
std::string opaque_body(const onnx::NodeProto& node);
/// Name, doc string, metadata and device configuration alone.
onnx::NodeProto label_of(const onnx::NodeProto& node);
/// Whether two runs of the node may differ, or it must not be merged with its equals.
bool has_effects(const onnx::NodeProto& node);

ir::ValueId add_opaque(ir::Builder& builder, const std::string& format, const std::string& op,
                       const std::string& body, const std::vector<std::string>& captures,
                       const std::vector<ir::ValueId>& operands, ir::TypeId type, bool effects);

/// A tensor whose elements nothing is known of: `body` has it without its name.
ir::ValueId add_opaque_tensor(ir::Builder& builder, const char* format, const std::string& body,
                              const google::protobuf::RepeatedField<int64_t>& dims,
                              std::optional<ir::DType> dtype, const std::string& name);

/// A weight whose contents come from elsewhere: written as an initializer of that type with external data
/// that lies nowhere, for a runtime that is handed the contents when it loads the model. REQUIREs a static
/// tensor.
ir::ValueId add_absent_weight(ir::Builder& builder, const std::string& name, ir::TypeId type);

struct OpaqueView {
  std::string format;
  std::string op;
  std::string body;
  std::vector<std::string> captures;
};
OpaqueView view_opaque(const ir::Graph& graph, ir::ValueId v);

}  // namespace isomer::formats
