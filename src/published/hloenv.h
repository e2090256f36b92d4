// What HloEnv's paper says of noise: the bounds within which 99.9 % of the ratios of two times of one module
// lie on its machine, from half a million ratios of each of ten modules (appendix D.3).
#pragma once

namespace isomer::published::hloenv {

constexpr double kNoiseBounds[] = {0.94, 1.06};
constexpr double kNoiseBoundOfTable1 = 0.96;  ///< at the head of that table

}  // namespace isomer::published::hloenv
