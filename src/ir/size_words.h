// Sizes in the words of exporters, which name dimensions of inner values by formulas over those of the
// inputs: of sympy (floor(height/2 - 1/2) + 1), of Python (s0//2 + 1).
#pragma once

#include <string_view>

#include "ir/context.h"

namespace isomer::ir {

/// The dimension that a model says an inner value has: by a formula over names where the text reads as one,
/// else a name. Quotients within formulas are exact until floor() or // rounds them down.
Dim said_dim(Context& ctx, std::string_view text);

}  // namespace isomer::ir
