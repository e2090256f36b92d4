// A tensor of doubles and integers as the bytes of its own element type.
#pragma once

#include <cstddef>
#include <vector>

#include "eval/tensor.h"
#include "ir/constant_data.h"

namespace isomer::eval {

inline std::vector<std::byte> to_bytes(const Tensor<double>& t) {
  std::vector<std::byte> out(static_cast<size_t>(ir::byte_size(t.dtype, t.count())));
  if (ir::is_float(t.dtype))
    ir::store_numbers(t.dtype, out, t.numbers);
  else
    for (size_t i = 0; i < t.integers.size(); ++i)
      ir::store_integer(t.dtype, out, static_cast<int64_t>(i), t.integers[i]);
  return out;
}

}  // namespace isomer::eval
