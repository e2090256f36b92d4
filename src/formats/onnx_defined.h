// Nodes that are kept as they are and that a graph of operators defines (ir/ops/kept.cpp, `defined`): what
// ONNX specifies by formulas and no operator of ours is written as.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/onnx_control.h"
#include "formats/onnx_spell.h"
#include "ir/ops/composed.h"

namespace isomer::formats {

/// A node while its definition is written.
struct Defining {
  NodeReader& r;        ///< of the node, its inputs in the definition
  ir::ops::Compose& c;  ///< the steps
  const KeptNode& kept;
  /// A body of the node as a region of one tensor of that type and what the bodies capture; invalid, and the
  /// reader fails, where something of it stays opaque.
  std::function<ir::RegionId(const onnx::GraphProto& body, ir::TypeId type)> body;
  std::vector<ir::ValueId> captured;  ///< what they capture
};

/// The results: of several outputs a tuple. Calls the reader's fail where the node is something else.
using Define = ir::ValueId (*)(Defining&);

/// By domain ("" is ONNX's own) and name.
using Definitions = std::map<std::pair<std::string, std::string>, Define>;
void define_training(Definitions& table);
void define_sampling(Definitions& table);
void define_further(Definitions& table);

/// The node's operator; invalid, and `why`, where it stays opaque. `opset`: of the node's domain.
ir::ValueId read_defined(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                         const KeptNode& kept, int64_t opset, std::string& why);

}  // namespace isomer::formats
