#include "ir/size_at.h"

#include <algorithm>

namespace isomer::ir {

std::vector<SymbolId> names_in(const Context& ctx, Dim dim) {
  std::vector<SymbolId> out;
  if (dim.is_unknown() || dim.is_static()) return out;
  size_of(ctx, dim).with([&](SymbolId name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
    return Size::named(name);
  });
  return out;
}

std::optional<int64_t> size_at(const Context& ctx, Dim dim,
                               const std::function<std::optional<int64_t>(SymbolId)>& of) {
  if (dim.is_unknown()) return std::nullopt;
  const Size sized = size_of(ctx, dim).with([&](SymbolId name) {
    const std::optional<int64_t> known = of(name);
    return known ? Size(*known) : Size::named(name);
  });
  return sized.is_number() && sized.number() >= 0 ? std::optional(sized.number()) : std::nullopt;
}

}  // namespace isomer::ir
