// ONNX tensors and our constants: raw bytes stay where they are, typed fields become raw bytes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/onnx_external.h"
#include "formats/onnx_wire.h"
#include "ir/context.h"

namespace onnx {
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace isomer::formats {

/// Where the bytes of a model's tensors are.
struct TensorSource {
  std::string file;                            ///< for messages
  std::shared_ptr<const ir::Storage> storage;  ///< the model's file
  ExternalFiles external;
};

/// The tensor as a constant; `cut` is its raw_data when the skimmer left it in the file. Nothing for strings
/// and element types that this build does not know. Throws InputError with the tensor's name when the data do
/// not fit the dimensions.
std::optional<ir::Constant> read_tensor(ir::Context& ctx, const onnx::TensorProto& tensor,
                                        TensorSource& source, std::optional<ByteRange> cut = std::nullopt);

/// What a node `Constant` of the default domain holds, under its output's name; nothing of strings in its
/// attributes, sparse tensors and other nodes.
std::optional<onnx::TensorProto> constant_node(const onnx::NodeProto& node);

/// Name, dimensions and element type; no data.
void write_tensor_head(const ir::Context& ctx, const ir::Constant& constant, const std::string& name,
                       onnx::TensorProto& out);

/// Takes external data of tensors within the node's attributes (also in its subgraphs) into the node.
void internalise(onnx::NodeProto& node, TensorSource& source);
/// The same for one tensor.
void internalise(onnx::TensorProto& tensor, TensorSource& source);

}  // namespace isomer::formats
