// If, Loop and Scan whose bodies can be read: operators that are written as they were and have a meaning
// (ir/ops/kept.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/onnx_bodies.h"

namespace onnx {
class ModelProto;
}

namespace isomer::formats {

/// The operator `name` (ir/ops/kept.cpp) of that node, with these attributes besides. Invalid, and `why`,
/// where its types do not fit or its result is too large.
ir::ValueId add_kept(ir::Builder& builder, const KeptNode& kept, std::string_view name,
                     std::vector<ir::NamedAttr> attrs, std::string& why);

/// The node's operator. Invalid, and `why` (empty for other nodes than these three), where it stays opaque:
/// operands of sizes that are not known, states that change their type, results of rounds whose number is
/// not known, bodies with opaque operators.
ir::ValueId read_control(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                         const KeptNode& node, std::string& why);

}  // namespace isomer::formats
