// Arithmetic of sizes (size.h) that come from outside: what 64 bits or a reasonable formula do not hold is no
// size. The operators throw InputError there, so that what must answer (type rules, conditions) does not use
// them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "ir/context.h"

namespace isomer::ir {

/// a + factor * b and a * b; nothing where that is no size any more.
std::optional<Size> sum(const Size& a, const Size& b, int64_t factor = 1);
std::optional<Size> product(const Size& a, const Size& b);
/// whole / part where their terms tell that it leaves no rest, at whatever size `part` is not 0.
std::optional<Size> exact_quotient(const Size& whole, const Size& part);
/// Size::floor_div, min, max and Size::with.
std::optional<Size> floor_quotient(const Size& a, const Size& divisor);
std::optional<Size> smaller(const Size& a, const Size& b);
std::optional<Size> larger(const Size& a, const Size& b);
std::optional<Size> put_in(const Size& size, const std::function<Size(SymbolId)>& of);
/// Number of elements; nothing where a dimension is unknown, or that is no size any more.
std::optional<Size> count_of(const Context& ctx, const Shape& shape);
/// Terms and atoms, those within atoms too, counted up to `most`.
size_t weight(const Size& size, size_t most);

}  // namespace isomer::ir
