#include "rewrite/adjacent.h"

#include <algorithm>
#include <cmath>

#include "ir/constant_data.h"

namespace isomer::rewrite {

double next_to(ir::DType dtype, double x, bool above) {
  if (x == 0) return above ? ir::smallest_number(dtype) : -ir::smallest_number(dtype);
  const int exponent = std::ilogb(x);
  const bool halves = above != (x > 0) && std::abs(x) == std::ldexp(1.0, exponent);  // the digits below are
  const double digit = std::ldexp(ir::spacing_at_one(dtype), exponent);
  const double part = (halves ? 0.4 : 0.75) * std::max(digit, ir::smallest_number(dtype));
  return ir::round_to(dtype, above ? x + part : x - part);
}

}  // namespace isomer::rewrite
