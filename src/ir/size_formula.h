// Sizes that follow from named dimensions by a formula are named by that formula: equal names are equal
// sizes.
#pragma once

#include <string>

#include "ir/context.h"

namespace isomer::ir {

/// The dimension named by a formula over others; long formulas by their hash.
Dim named_size(Context& ctx, std::string formula);
/// The dimension of that size: a number, a name, or a name of its own that stands for it; unknown of what is
/// less than 0 for certain.
Dim dim_of(Context& ctx, const Size& size);

}  // namespace isomer::ir
