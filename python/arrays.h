// Numbers from C++ as arrays of NumPy that own them: a property that gives one says rv_policy::automatic,
// since it is no part of anything.
#pragma once

#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace isomer::python {

template <class T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> array(std::vector<T> values) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = kept->data();
  const size_t count = kept->size();
  const nanobind::capsule owner(kept.release(),
                                [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, {count}, owner};
}

}  // namespace isomer::python
