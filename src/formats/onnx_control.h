// If, Loop and Scan whose bodies can be read: operators that are written as they were and have a meaning
// (ir/ops/kept.cpp).
#pragma once

#include <string>

#include "formats/onnx_bodies.h"

namespace onnx {
class ModelProto;
}

namespace isomer::formats {

/// The node's operator. Invalid, and `why` (empty for other nodes than these three), where it stays opaque:
/// operands of sizes that are not known, states that change their type, results of rounds whose number is
/// not known, bodies with opaque operators.
ir::ValueId read_control(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                         const KeptNode& node, std::string& why);

}  // namespace isomer::formats
