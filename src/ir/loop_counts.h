// The inputs of ONNX's Loop that bound its rounds: their numbers in `given` of the operator `loop`
// (ir/ops/kept.cpp).
#pragma once

#include <cstdint>

namespace isomer::ir {

inline constexpr int64_t kLoopTrips = 0, kLoopGoesOn = 1;

}  // namespace isomer::ir
