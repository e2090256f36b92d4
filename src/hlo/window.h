// The window of an instruction, which an attribute holds as numbers, as dimensions.
#pragma once

#include <span>
#include <vector>

#include "hlo/attribute.h"

namespace isomer::hlo {

/// `numbers`: of kWindow. Dimensions that these do not say have windows of one element.
std::vector<WindowDim> window_dims(std::span<const int64_t> numbers, size_t rank);
std::vector<int64_t> window_numbers(std::span<const WindowDim> dims);
/// How many elements a dimension of this size has with gaps between them.
constexpr int64_t dilated(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

}  // namespace isomer::hlo
