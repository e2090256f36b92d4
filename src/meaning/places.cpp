#include "meaning/places.h"

#include <algorithm>

#include "ir/size_case.h"
#include "ir/size_sums.h"

namespace isomer::meaning {

using ir::Size;

namespace {

/// Variables are names beyond all those of a context.
constexpr uint32_t kFirstVariable = 0x80000000u;

bool is_variable(const Size::Atom& atom) {
  return atom.kind == Size::Atom::Kind::kName && atom.name.v >= kFirstVariable;
}

Size product_of(const Size::Term& term) {
  Size out = term.factor;
  for (const auto& atom : term.atoms) out *= Size::of(*atom);
  return out;
}

}  // namespace

bool certainly(const Size& size, ir::Signs signs) { return ir::facts_at_hand().decide(size, signs) == true; }

Size Places::variable(const Size& extent) {
  extents_.push_back(extent);
  return Size::named(ir::SymbolId(kFirstVariable + static_cast<uint32_t>(extents_.size() - 1)));
}

Size Places::extreme(const Size& size, bool largest) const {
  Size out = 0;
  for (const Size::Term& t : size.terms()) {
    Size product = t.factor;
    for (const auto& atom : t.atoms) {
      if (!is_variable(*atom))
        product *= Size::of(*atom);
      else
        product *= (t.factor > 0) == largest ? extents_[atom->name.v - kFirstVariable] - 1 : Size(0);
    }
    out += product;
  }
  return out;
}

bool are_factors(const Size& outer, const Size& inner) {
  const auto several = [](const Size& s) { return !s.is_number() || s.number() > 1; };
  return several(outer) && several(inner);
}

/// What the variable of the term, if it is one times a size, has to be made of for the divisor to divide it.
std::optional<Places::Split> Places::split_of(const Size::Term& term, const Size& divisor) const {
  const auto at = std::ranges::find_if(term.atoms, [](const auto& atom) { return is_variable(*atom); });
  if (at == term.atoms.end() || term.factor <= 0) return std::nullopt;
  Size::Term factor = term;
  factor.atoms.erase(factor.atoms.begin() + (at - term.atoms.begin()));
  if (std::ranges::any_of(factor.atoms, [](const auto& atom) { return is_variable(*atom); }))
    return std::nullopt;
  const size_t variable = (*at)->name.v - kFirstVariable;
  const std::optional<Size> inner = ir::exact_quotient(divisor, product_of(factor));
  const std::optional<Size> outer = inner ? ir::exact_quotient(extents_[variable], *inner) : std::nullopt;
  const bool parts = outer && are_factors(*outer, *inner) && certainly(*inner, ir::kNotNegative);
  return parts ? std::optional(Split{variable, *inner}) : std::nullopt;
}

void Places::want(const Size& rest, const Size& divisor) {
  for (const Size::Term& term : rest.terms()) {
    const std::optional<Split> split = split_of(term, divisor);
    if (split && std::ranges::none_of(wanted_, [&](const Split& s) { return s.variable == split->variable; }))
      wanted_.push_back(*split);
  }
}

/// a / b rounded down, where what b does not divide is known to stay below it.
Size Places::quotient(const Size& a, const Size& b) {
  const auto fits = [&](const Size& rest) {
    return certainly(extreme(rest, false), ir::kNotNegative) &&
           certainly(extreme(rest, true) - b, ir::kNegative);
  };
  if (fits(a)) return 0;
  Size even = 0, rest = 0;
  for (const Size::Term& t : a.terms()) {
    const Size one = product_of(t), part = one.floor_div(b);
    (part * b).identical(one) ? even += part : rest += one;
  }
  if (fits(rest)) return even;
  want(rest, b);
  return even + rest.floor_div(b);
}

Size Places::at(const ir::IndexExpr& e, std::span<const Size> vars) {
  using Kind = ir::IndexExpr::Kind;
  const auto normal = [](const Size& s) { return ir::facts_at_hand().normal(s); };
  switch (e.kind()) {
    case Kind::kConst: return normal(e.size());
    case Kind::kVar: return vars[static_cast<size_t>(e.value())];
    case Kind::kAdd: return at(e.lhs(), vars) + at(e.rhs(), vars);
    case Kind::kMulConst: return at(e.lhs(), vars) * normal(e.size());
    case Kind::kFloorDiv: return quotient(at(e.lhs(), vars), normal(e.size()));
    case Kind::kMod: {
      const Size a = at(e.lhs(), vars), b = normal(e.size());
      return a - quotient(a, b) * b;
    }
    case Kind::kMin:
    case Kind::kMax: {
      const Size a = at(e.lhs(), vars), b = at(e.rhs(), vars);
      const bool least = e.kind() == Kind::kMin;
      if (certainly(extreme(a - b, true), ir::kZero | ir::kNegative)) return least ? a : b;
      if (certainly(extreme(a - b, false), ir::kNotNegative)) return least ? b : a;
      return least ? min(a, b) : max(a, b);
    }
    case Kind::kLoad: break;  // refused before
  }
  return 0;
}

}  // namespace isomer::meaning
