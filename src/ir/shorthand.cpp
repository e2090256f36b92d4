#include "ir/shorthand.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace isomer::ir {

int64_t element_count(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

Sizes sizes_of(const Builder& b, ValueId v) { return sizes(b.type(v).shape); }

ValueId reshape(Builder& b, ValueId v, const Sizes& sizes) {
  return sizes_of(b, v) == sizes ? v : b.add("reshape", {v}, {{"shape", static_shape(sizes)}});
}

ValueId broadcast(Builder& b, ValueId v, const Sizes& sizes) {
  return sizes_of(b, v) == sizes ? v : b.add("broadcast", {v}, {{"shape", static_shape(sizes)}});
}

ValueId transpose(Builder& b, ValueId v, const std::vector<int64_t>& perm) {
  return std::ranges::is_sorted(perm) ? v : b.add("transpose", {v}, {{"perm", perm}});
}

ValueId reduce(Builder& b, std::string_view op, ValueId v, std::vector<int64_t> axes, bool keep_dims) {
  return b.add(op, {v}, {{"axes", std::move(axes)}, {"keepdims", int64_t{keep_dims}}});
}

}  // namespace isomer::ir
