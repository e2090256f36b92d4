#include "ir/size.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/context.h"
#include "support/errors.h"

namespace isomer::ir {

using Atom = Size::Atom;
using Term = Size::Term;

namespace {

std::strong_ordering compare_atoms(const Atom& a, const Atom& b) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.kind == Atom::Kind::kName) return a.name.v <=> b.name.v;
  const auto first = compare(a.a, b.a);
  return first != 0 ? first : compare(a.b, b.b);
}

/// Products of more atoms first, so that numbers stand last.
std::strong_ordering compare_products(const Term& a, const Term& b) {
  if (a.atoms.size() != b.atoms.size()) return b.atoms.size() <=> a.atoms.size();
  for (size_t i = 0; i < a.atoms.size(); ++i)
    if (const auto c = compare_atoms(*a.atoms[i], *b.atoms[i]); c != 0) return c;
  return std::strong_ordering::equal;
}

int64_t floor_div_int(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// `a` without the atoms of `b`; false where it lacks one.
bool divide(Term& a, const Term& b) {
  if (b.factor == 0 || a.factor % b.factor != 0) return false;
  for (const auto& atom : b.atoms) {
    const auto it =
        std::ranges::find_if(a.atoms, [&](const auto& x) { return compare_atoms(*x, *atom) == 0; });
    if (it == a.atoms.end()) return false;
    a.atoms.erase(it);
  }
  a.factor /= b.factor;
  return true;
}

}  // namespace

/// Sums terms into the normal form.
class Polynomial {
 public:
  void add(Term term) {
    if (term.factor == 0) return;
    const auto at = std::ranges::lower_bound(
        terms_, term, [](const Term& x, const Term& y) { return compare_products(x, y) < 0; });
    if (at == terms_.end() || compare_products(*at, term) != 0) {
      terms_.insert(at, std::move(term));
    } else if ((at->factor += term.factor) == 0) {
      terms_.erase(at);
    }
  }
  void add(const Size& size, int64_t factor) {
    for (Term t : size.terms()) {
      t.factor *= factor;
      add(std::move(t));
    }
  }
  Size take() && {
    if (terms_.empty()) return 0;
    if (terms_.size() == 1 && terms_[0].atoms.empty()) return terms_[0].factor;
    Size out;
    out.terms_ = std::make_shared<const std::vector<Term>>(std::move(terms_));
    return out;
  }

 private:
  std::vector<Term> terms_;
};

Size Size::of(Atom atom) {
  Polynomial sum;
  sum.add({{std::make_shared<const Atom>(std::move(atom))}, 1});
  return std::move(sum).take();
}

Size Size::named(SymbolId name) { return of({Atom::Kind::kName, name, 0, 0}); }

int64_t Size::number() const {
  REQUIRE(is_number(), "a size that is only named, where a number is needed");
  return number_;
}

std::vector<Term> Size::terms() const {
  if (!is_number()) return *terms_;
  return number_ == 0 ? std::vector<Term>() : std::vector<Term>{{{}, number_}};
}

Size operator+(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return a.number_ + b.number_;
  Polynomial sum;
  sum.add(a, 1);
  sum.add(b, 1);
  return std::move(sum).take();
}

Size operator-(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return a.number_ - b.number_;
  Polynomial sum;
  sum.add(a, 1);
  sum.add(b, -1);
  return std::move(sum).take();
}

Size operator*(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return a.number_ * b.number_;
  Polynomial sum;
  for (const Term& x : a.terms())
    for (const Term& y : b.terms()) {
      Term both{x.atoms, x.factor * y.factor};
      both.atoms.insert(both.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::ranges::sort(both.atoms, [](const auto& p, const auto& q) { return compare_atoms(*p, *q) < 0; });
      sum.add(std::move(both));
    }
  return std::move(sum).take();
}

Size Size::floor_div(const Size& divisor) const {
  if (divisor.is_number()) {
    REQUIRE(divisor.number_ > 0, "division of a size by a number that is not positive");
    if (is_number()) return floor_div_int(number_, divisor.number_);
    if (divisor.number_ == 1) return *this;
  }
  // What the divisor divides comes out whole; the rest is a quotient of its own, unless it is less than 1.
  const std::vector<Term> by = divisor.terms();
  Polynomial whole, rest;
  for (const Term& t : terms()) {
    Term quotient = t;
    if (by.size() == 1 && divide(quotient, by[0]))
      whole.add(std::move(quotient));
    else
      rest.add(t);
  }
  const Size left = std::move(rest).take();
  const Size even = std::move(whole).take();
  if (left.is_number() && divisor.is_number()) return even + floor_div_int(left.number_, divisor.number_);
  if (left.is_number() && left.number_ == 0) return even;
  if (left.identical(divisor)) return even + 1;
  return even + Size::of({Atom::Kind::kFloorDiv, {}, left, divisor});
}

Size max(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return std::max(a.number_, b.number_);
  const auto order = compare(a, b);
  if (order == 0) return a;
  return Size::of({Atom::Kind::kMax, {}, order < 0 ? a : b, order < 0 ? b : a});
}

Size min(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return std::min(a.number_, b.number_);
  const auto order = compare(a, b);
  if (order == 0) return a;
  return Size::of({Atom::Kind::kMin, {}, order < 0 ? a : b, order < 0 ? b : a});
}

std::strong_ordering compare(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return a.number_ <=> b.number_;
  if (a.terms_ == b.terms_) return std::strong_ordering::equal;
  const std::vector<Term> x = a.terms(), y = b.terms();
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (const auto c = compare_products(x[i], y[i]); c != 0) return c;
    if (x[i].factor != y[i].factor) return x[i].factor <=> y[i].factor;
  }
  return x.size() <=> y.size();
}

Size Size::with(const std::function<Size(SymbolId)>& of) const {
  if (is_number()) return *this;
  Size sum = 0;
  for (const Term& t : *terms_) {
    Size product = t.factor;
    for (const auto& atom : t.atoms) {
      switch (atom->kind) {
        case Atom::Kind::kName: product *= of(atom->name); break;
        case Atom::Kind::kFloorDiv: product *= atom->a.with(of).floor_div(atom->b.with(of)); break;
        case Atom::Kind::kMax: product *= max(atom->a.with(of), atom->b.with(of)); break;
        case Atom::Kind::kMin: product *= min(atom->a.with(of), atom->b.with(of)); break;
      }
    }
    sum += product;
  }
  return sum;
}

std::string print(const Context& ctx, const Size& size) {
  if (size.is_number()) return std::to_string(size.number());
  const auto within = [&](const Size& s) {
    const bool sum = s.terms().size() > 1;
    return sum ? "(" + print(ctx, s) + ")" : print(ctx, s);
  };
  const auto of_atom = [&](const Atom& a) {
    switch (a.kind) {
      case Atom::Kind::kName: return ctx.get(a.name);
      case Atom::Kind::kFloorDiv: return fmt::format("({}/{})", within(a.a), within(a.b));
      case Atom::Kind::kMax: return fmt::format("max({},{})", print(ctx, a.a), print(ctx, a.b));
      case Atom::Kind::kMin: return fmt::format("min({},{})", print(ctx, a.a), print(ctx, a.b));
    }
    return std::string("?");
  };
  std::vector<Term> terms = size.terms();
  std::ranges::stable_partition(terms, [](const Term& t) { return t.factor > 0; });
  std::string out;
  for (const Term& t : terms) {
    if (t.factor < 0 || !out.empty()) out += t.factor < 0 ? "-" : "+";
    const int64_t factor = t.factor < 0 ? -t.factor : t.factor;
    if (factor != 1 || t.atoms.empty()) out += std::to_string(factor) + (t.atoms.empty() ? "" : "*");
    for (size_t i = 0; i < t.atoms.size(); ++i) out += (i ? "*" : "") + of_atom(*t.atoms[i]);
  }
  return out;
}

Size size_of(const Context& ctx, Dim dim) {
  REQUIRE(!dim.is_unknown(), "the size of a dimension that nothing is known of");
  if (dim.is_static()) return dim.size();
  const Size* formula = ctx.formula(dim.symbol());
  return formula != nullptr ? *formula : Size::named(dim.symbol());
}

std::vector<Size> sizes_of(const Context& ctx, const Shape& shape) {
  std::vector<Size> out;
  for (Dim d : shape) out.push_back(size_of(ctx, d));
  return out;
}

std::vector<Size> as_sizes(std::span<const int64_t> numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<int64_t> numbers(std::span<const Size> sizes) {
  std::vector<int64_t> out;
  for (const Size& s : sizes) out.push_back(s.number());
  return out;
}

}  // namespace isomer::ir
