#include "ir/size_formula.h"

#include <fmt/format.h>

#include "support/hash.h"

namespace isomer::ir {

Dim named_size(Context& ctx, std::string formula) {
  constexpr size_t kLongest = 100;
  if (formula.size() > kLongest) formula = fmt::format("size#{:016x}", hash_string(formula));
  return Dim::symbol(ctx.symbol(formula));
}

Dim dim_of(Context& ctx, const Size& size) {
  if (size.is_number()) return size.number() < 0 ? Dim::unknown() : Dim(size.number());
  const std::vector<Size::Term> terms = size.terms();
  if (terms.size() == 1 && terms[0].factor == 1 && terms[0].atoms.size() == 1 &&
      terms[0].atoms[0]->kind == Size::Atom::Kind::kName)
    return Dim::symbol(terms[0].atoms[0]->name);
  const Dim out = named_size(ctx, print(ctx, size));
  ctx.set_formula(out.symbol(), size);
  return out;
}

}  // namespace isomer::ir
