// Sizes that follow from named dimensions by a formula are named by that formula: equal names are equal
// sizes.
#pragma once

#include <string>

#include "ir/context.h"

namespace isomer::ir {

/// The dimension named by a formula over others; long formulas by their hash.
Dim named_size(Context& ctx, std::string formula);

}  // namespace isomer::ir
