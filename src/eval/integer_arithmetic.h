// The integer sort of scalar expressions: 64-bit two's complement in every value domain. Division by zero
// gives 0 (the runtimes leave it undefined).
#pragma once

#include <cstdint>

#include "ir/scalar_expr.h"

namespace isomer::eval {

int64_t apply_integer(ir::ScalarOp op, int64_t a, int64_t b);

}  // namespace isomer::eval
