#pragma once

#include <cstdint>
#include <vector>

namespace isomer::hlo {

/// The dimensions of a dot, or of a library's product (XLA's DotDimensionNumbers).
struct DotDims {
  std::vector<int64_t> left_batch, left_contracting, right_batch, right_contracting;
};

}  // namespace isomer::hlo
