// If, Loop and Scan whose bodies can be read: operators that are written as they were and have a meaning
// (ir/ops/kept.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/size_values.h"
#include "ir/graph.h"

namespace onnx {
class GraphProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace isomer::formats {

/// A node as an opaque operator would hold it.
struct KeptNode {
  const onnx::NodeProto& node;        ///< with the inputs' names, captures numbered
  std::string body;                   ///< opaque_body of it
  std::vector<std::string> captures;  ///< names of the last operands in its bodies
  std::vector<ir::ValueId> operands;  ///< inputs that are there, then captures
};

/// The operator `name` (ir/ops/kept.cpp) of that node, with these attributes besides. Invalid, and `why`,
/// where its types do not fit or its result is too large.
ir::ValueId add_kept(ir::Builder& builder, const KeptNode& kept, std::string_view name,
                     std::vector<ir::NamedAttr> attrs, std::string& why);
/// What the value is in every run, where that is known and of few elements.
std::optional<ir::ConstantId> known_constant(ir::Builder& builder, eval::SizeValues& sizes, ir::ValueId v);

/// What a body is given: small constants and sizes that are known are known within, too.
struct BodyInput {
  std::string name;
  ir::TypeId type;           ///< a static tensor
  ir::ValueId outside = {};  ///< the value that it always is, if it is one
  bool always_true = false;  ///< a bool[]
};

/// A body (within `model`, whose operator sets it uses) as a region of these inputs. Invalid, and `why`,
/// where something of it stays opaque.
ir::RegionId read_body(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                       const onnx::GraphProto& body, const std::vector<BodyInput>& inputs, std::string& why);

/// The node's operator. Invalid, and `why` (empty for other nodes than these three), where it stays opaque:
/// operands of sizes that are not known, states that change their type, results of rounds whose number is
/// not known, bodies with opaque operators.
ir::ValueId read_control(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                         const KeptNode& node, std::string& why);

}  // namespace isomer::formats
