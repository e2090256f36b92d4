// Dimensions where the names in them have sizes: programs of named sizes are priced and tried at numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/context.h"

namespace isomer::ir {

/// The names that the size of a dimension is a formula of, each once.
std::vector<SymbolId> names_in(const Context& ctx, Dim dim);
/// Its size; nothing where `of` has none for a name in it, or the formula is below 0 there.
std::optional<int64_t> size_at(const Context& ctx, Dim dim,
                               const std::function<std::optional<int64_t>(SymbolId)>& of);

}  // namespace isomer::ir
