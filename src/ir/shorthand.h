// Shorthands of Builder::add for what definitions are made of. Each gives its operand where nothing would
// change. Sizes are static.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace isomer::ir {

using Sizes = std::vector<int64_t>;

/// Elements of a tensor or tile of these sizes.
int64_t element_count(const Sizes& sizes);
/// Sizes of a value under construction.
Sizes sizes_of(const Builder& b, ValueId v);
ValueId reshape(Builder& b, ValueId v, const Sizes& sizes);
ValueId broadcast(Builder& b, ValueId v, const Sizes& sizes);
ValueId transpose(Builder& b, ValueId v, const std::vector<int64_t>& perm);
ValueId reduce(Builder& b, std::string_view op, ValueId v, std::vector<int64_t> axes, bool keep_dims);

}  // namespace isomer::ir
