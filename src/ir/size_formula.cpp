#include "ir/size_formula.h"

#include <fmt/format.h>

#include "support/hash.h"

namespace isomer::ir {

Dim named_size(Context& ctx, std::string formula) {
  constexpr size_t kLongest = 100;
  if (formula.size() > kLongest) formula = fmt::format("size#{:016x}", hash_string(formula));
  return Dim::symbol(ctx.symbol(formula));
}

}  // namespace isomer::ir
