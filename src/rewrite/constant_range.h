// Bounds on the elements of a constant, at the speed of memory: weights are most of a model.
#pragma once

#include "rewrite/float_range.h"

namespace isomer::rewrite {

/// Unbounded where an element is NaN. Of more than 65,536 elements only the largest size is looked for.
FloatRange range_of(const ir::Context& ctx, const ir::Constant& constant);

}  // namespace isomer::rewrite
