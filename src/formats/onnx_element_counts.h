// How many elements a shape has, as a factor times named sizes: what is left over for the dimension that a
// Reshape leaves open.
#pragma once

#include <optional>
#include <vector>

#include "ir/context.h"

namespace isomer::formats {

/// A number of elements: a factor times named sizes.
struct Count {
  int64_t factor = 1;
  std::vector<ir::SymbolId> symbols;  ///< sorted
};

/// Nothing where a dimension is unknown, or the number leaves 64 bits.
std::optional<Count> count_of(const ir::Shape& shape);
/// whole / part as one dimension; nothing where that is not certain to be a whole number.
std::optional<ir::Dim> divide(ir::Context& ctx, const Count& whole, const Count& part);

}  // namespace isomer::formats
