#include "ir/type.h"

#include <algorithm>
#include <limits>

#include "support/errors.h"

namespace isomer::ir {

Shape static_shape(std::span<const int64_t> sizes) {
  Shape shape;
  shape.reserve(sizes.size());
  for (int64_t size : sizes) shape.emplace_back(size);
  return shape;
}

bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](Dim d) { return d.is_static(); });
}

bool same_shape(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Dim x, Dim y) { return x.same(y); });
}

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  bool empty = false;
  for (Dim d : shape) {
    REQUIRE(d.is_static(), "the element count of a shape with symbolic dimensions was asked for");
    empty |= d.size() == 0;
    if (__builtin_mul_overflow(count, d.size(), &count)) count = std::numeric_limits<int64_t>::max();
  }
  return empty ? 0 : count;
}

std::vector<int64_t> sizes(const Shape& shape) {
  std::vector<int64_t> out;
  out.reserve(shape.size());
  for (Dim d : shape) {
    REQUIRE(d.is_static(), "sizes of a shape with symbolic dimensions were asked for");
    out.push_back(d.size());
  }
  return out;
}

}  // namespace isomer::ir
