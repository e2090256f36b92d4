// Layouts in types. A layout says where elements stand, not what they are: type rules, definitions and
// whoever compares programs look at types without it.
#pragma once

#include "ir/context.h"

namespace isomer::ir {

/// The same type, row-major; tuples stay as they are.
TypeId without_layout(Context& ctx, TypeId type);
/// From the dimension whose neighbours lie side by side to the outermost; empty where that is row-major.
std::vector<int> unless_row_major(std::vector<int> layout);

}  // namespace isomer::ir
