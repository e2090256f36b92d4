// Cases of single operators (op_cases.h) as graphs and values.
#pragma once

#include <optional>
#include <string>

#include "conformance/op_cases.h"
#include "eval/tensor.h"

namespace isomer::conformance {

/// Values in the operand's range; now and then halves, which make ties.
eval::Value<double> draw_value(const Operand& o, Rng& rng);

/// The one-operator graph of a case, each tensor of its result an output; nothing when the operator's type
/// rule refuses it.
std::optional<ir::Graph> build_case(ir::Context& ctx, const std::string& op, const Case& c);

}  // namespace isomer::conformance
