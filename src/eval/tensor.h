// Values that the interpreter computes: whole tensors over a domain's numbers, or tuples of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ir/dtype.h"

namespace isomer::eval {

/// Row-major; `numbers` for floating-point element types, `integers` for the rest.
template <class Number>
struct Tensor {
  ir::DType dtype = ir::DType::kUndefined;
  std::vector<int64_t> sizes;
  std::vector<Number> numbers;
  std::vector<int64_t> integers;

  int64_t count() const {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return n;
  }
};

/// Shared, since `get`, `tuple` and graph outputs pass values on.
template <class Number>
struct Value {
  std::shared_ptr<const Tensor<Number>> tensor;
  std::vector<Value> elements;  ///< tuples; then `tensor` is null

  bool empty() const { return tensor == nullptr && elements.empty(); }
};

/// Of values that are none of them tuples.
template <class Number>
std::vector<Tensor<Number>> tensors_of(const std::vector<Value<Number>>& values) {
  std::vector<Tensor<Number>> out;
  for (const Value<Number>& value : values) out.push_back(*value.tensor);
  return out;
}

template <class Number>
Value<Number> make_value(Tensor<Number> tensor) {
  return {std::make_shared<const Tensor<Number>>(std::move(tensor)), {}};
}

}  // namespace isomer::eval
