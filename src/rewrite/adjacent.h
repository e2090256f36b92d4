// The numbers of an element type beside a number.
#pragma once

#include "ir/dtype.h"

namespace isomer::rewrite {

/// The number of that type of floats that is next to `x`, one of its own, above or below.
double next_to(ir::DType dtype, double x, bool above);

}  // namespace isomer::rewrite
