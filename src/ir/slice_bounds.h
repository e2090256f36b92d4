// What the bounds of slices mean beyond what they say.
#pragma once

#include <cstdint>

namespace isomer::ir {

/// No tensor has as many elements along an axis: ends from here on are ends of the axis, whatever its size.
/// Exporters write this number, the largest of 32 or that of 64 bits.
inline constexpr int64_t kBeyondEverySize = 1'000'000'000;

}  // namespace isomer::ir
