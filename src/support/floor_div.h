// Division of integers that rounds towards minus infinity, and what it leaves.
#pragma once

#include <cstdint>

namespace isomer {

/// `b` is not 0; of the least number by -1 there is no quotient.
constexpr int64_t floor_div(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
/// In [0, b) for b > 0.
constexpr int64_t floor_mod(int64_t a, int64_t b) {
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace isomer
