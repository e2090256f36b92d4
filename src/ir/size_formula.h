// Sizes that follow from named dimensions by a formula are named by that formula, which is in one normal form
// (size.h): equal names are equal sizes. The words are those that exporters of dynamic shapes write (2*N+3).
#pragma once

#include <string>
#include <string_view>

#include "ir/context.h"

namespace isomer::ir {

/// The dimension of that size: a number, a name, or a name of its own that stands for it; unknown of what is
/// less than 0 for certain. What is too long to be spelled out is named by its hash, and stands for itself.
Dim dim_of(Context& ctx, const Size& size);
/// A size that no formula says, by a text that does; it stands for itself. Long ones by their hash.
Dim named_size(Context& ctx, std::string text);
/// The name of a dimension that comes from outside: where it reads as a formula it need not keep to it, and
/// stands for itself. Where it stands for that formula already, a name like it does.
SymbolId own_name(Context& ctx, std::string_view text);
/// The dimension that a word stands for: a formula as print() writes it, else a name.
Dim parse_dim(Context& ctx, std::string_view text);

}  // namespace isomer::ir
