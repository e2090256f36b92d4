#include "ir/layout.h"

namespace isomer::ir {

TypeId without_layout(Context& ctx, TypeId type) {
  const Type& said = ctx.get(type);
  if (said.layout.empty()) return type;
  Type plain = said;
  plain.layout.clear();
  return ctx.intern(plain);
}

std::vector<int> unless_row_major(std::vector<int> layout) {
  for (size_t i = 0; i < layout.size(); ++i)
    if (layout[i] != static_cast<int>(layout.size() - 1 - i)) return layout;
  return {};
}

}  // namespace isomer::ir
