// Double precision in which casts to narrower floats round nothing: what a program's equation says of the
// reals.
#pragma once

#include "eval/float_domain.h"
#include "ir/dtype.h"

namespace isomer::eval {

class Unrounded : public Float64 {
 public:
  double cast(ir::DType to, double a) const { return ir::is_float(to) ? a : Float64::cast(to, a); }
};

}  // namespace isomer::eval
