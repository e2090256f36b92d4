// What rules about dots ask.
#pragma once

#include <vector>

#include "passes/site.h"

namespace isomer::passes {

DotDims dot_dims(const Site& s, InstructionId dot);
/// Dimensions that are neither batch nor contracted, in order.
Dims free_dims(size_t rank, const Dims& batch, const Dims& contracting);
/// The attributes by which a dot says how exactly it is computed.
std::vector<AttributeValue> precision_of(const Site& s, InstructionId dot);

}  // namespace isomer::passes
