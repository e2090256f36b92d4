#include "ir/size.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/context.h"
#include "ir/size_case.h"
#include "ir/size_sums.h"
#include "support/errors.h"
#include "support/floor_div.h"

namespace isomer::ir {

using Atom = Size::Atom;
using Term = Size::Term;

namespace {

constexpr size_t kMostTerms = 256, kMostProducts = 4096, kMostAtoms = 64;

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

/// `a` without the atoms of `b`; false where it lacks one.
bool divide(Term& a, const Term& b) {
  if (b.factor == 0 || (a.factor == INT64_MIN && b.factor == -1) || a.factor % b.factor != 0) return false;
  for (const auto& atom : b.atoms) {
    const auto it =
        std::ranges::find_if(a.atoms, [&](const auto& x) { return compare_atoms(*x, *atom) == 0; });
    if (it == a.atoms.end()) return false;
    a.atoms.erase(it);
  }
  a.factor /= b.factor;
  return true;
}

Size held(std::optional<Size> size) {
  if (!size) throw InputError("a size that is too large for 64 bits, or for a formula");
  return *std::move(size);
}

/// Of the terms that have atoms, and of `start`.
int64_t common_factor(std::span<const Term> terms, int64_t start) {
  for (const Term& t : terms)
    if (!t.atoms.empty()) start = std::gcd(start, t.factor);
  return start;
}

}  // namespace

/// Sums terms into the normal form. The factor of least value is left out, so that each has its opposite.
class Polynomial {
 public:
  void add(Term term) {
    if (term.factor == 0) return;
    const auto at = std::ranges::lower_bound(
        terms_, term, [](const Term& x, const Term& y) { return compare_products(x, y) < 0; });
    if (at == terms_.end() || compare_products(*at, term) != 0) {
      terms_.insert(at, std::move(term));
    } else if (__builtin_add_overflow(at->factor, term.factor, &at->factor)) {
      fits_ = false;
    } else if (at->factor == 0) {
      terms_.erase(at);
    }
  }
  void add(const Size& size, int64_t factor) {
    for (Term t : size.terms()) {
      if (__builtin_mul_overflow(t.factor, factor, &t.factor)) fits_ = false;
      add(std::move(t));
    }
  }
  std::optional<Size> take() && {
    if (!fits_ || terms_.size() > kMostTerms) return std::nullopt;
    if (terms_.empty()) return 0;
    if (terms_.size() == 1 && terms_[0].atoms.empty()) return terms_[0].factor;
    if (std::ranges::any_of(terms_, [](const Term& t) { return t.factor == INT64_MIN; })) return std::nullopt;
    Size out;
    out.terms_ = std::make_shared<const std::vector<Term>>(std::move(terms_));
    return out;
  }

 private:
  std::vector<Term> terms_;
  bool fits_ = true;
};

Size Size::of(Atom atom) {
  Polynomial sum;
  sum.add({{std::make_shared<const Atom>(std::move(atom))}, 1});
  return held(std::move(sum).take());
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

std::optional<Size> sum(const Size& a, const Size& b, int64_t factor) {
  if (a.is_number() && b.is_number()) {
    int64_t scaled = 0, out = 0;
    const bool fits = !__builtin_mul_overflow(b.number(), factor, &scaled) &&
                      !__builtin_add_overflow(a.number(), scaled, &out);
    return fits ? std::optional<Size>(out) : std::nullopt;
  }
  Polynomial out;
  out.add(a, 1);
  out.add(b, factor);
  return std::move(out).take();
}

std::optional<Size> product(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) {
    int64_t out = 0;
    return __builtin_mul_overflow(a.number(), b.number(), &out) ? std::nullopt : std::optional<Size>(out);
  }
  const std::vector<Term> left = a.terms(), right = b.terms();
  if (left.size() * right.size() > kMostProducts) return std::nullopt;
  Polynomial out;
  for (const Term& x : left)
    for (const Term& y : right) {
      Term both{x.atoms, 0};
      if (__builtin_mul_overflow(x.factor, y.factor, &both.factor)) return std::nullopt;
      both.atoms.insert(both.atoms.end(), y.atoms.begin(), y.atoms.end());
      if (both.atoms.size() > kMostAtoms) return std::nullopt;
      std::ranges::sort(both.atoms, [](const auto& p, const auto& q) { return compare_atoms(*p, *q) < 0; });
      out.add(std::move(both));
    }
  return std::move(out).take();
}

Size operator+(const Size& a, const Size& b) { return held(sum(a, b)); }
Size operator-(const Size& a, const Size& b) { return held(sum(a, b, -1)); }
Size operator*(const Size& a, const Size& b) { return held(product(a, b)); }

/// Division of polynomials by the first term, which is the largest of an order that products keep.
std::optional<Size> exact_quotient(const Size& whole, const Size& part) {
  const std::vector<Term> by = part.terms();
  if (by.empty()) return std::nullopt;
  Size out = 0, rest = whole;
  for (size_t step = 0; step <= kMostTerms; ++step) {
    if (rest.is_number() && rest.number() == 0) return out;
    Polynomial one;
    Term first = rest.terms().front();
    if (!divide(first, by[0])) return std::nullopt;
    one.add(std::move(first));
    const std::optional<Size> next = std::move(one).take();
    const std::optional<Size> taken = next ? product(*next, part) : std::nullopt;
    const std::optional<Size> left = taken ? sum(rest, *taken, -1) : std::nullopt;
    const std::optional<Size> more = left ? sum(out, *next) : std::nullopt;
    if (!more) return std::nullopt;
    out = *more;
    rest = *left;
  }
  return std::nullopt;
}

namespace {

/// `rest` / `divisor` rounded down, coefficients from 0 to below the divisor: without common factors, and of
/// a quotient ((x / 2 + 1) / 3) one quotient ((x + 2) / 6).
std::optional<Size> small_quotient(const Size& rest, int64_t divisor) {
  std::vector<Term> terms = rest.terms();
  const int64_t common = common_factor(terms, divisor);
  Polynomial less;
  for (Term& t : terms) {
    t.factor /= common;  // of the number: rounded down
    less.add(std::move(t));
  }
  const std::optional<Size> reduced = std::move(less).take();
  divisor /= common;
  if (!reduced || divisor == 1) return reduced;
  terms = reduced->terms();
  const int64_t number = terms.back().atoms.empty() ? terms.back().factor : 0;
  const bool nested = terms.size() == (number != 0 ? 2U : 1U) && terms[0].factor == 1 &&
                      terms[0].atoms.size() == 1 && terms[0].atoms[0]->kind == Atom::Kind::kFloorDiv &&
                      terms[0].atoms[0]->b.is_number();
  if (!nested) return Size::of({Atom::Kind::kFloorDiv, {}, *reduced, divisor});
  const Atom& inner = *terms[0].atoms[0];
  int64_t both = 0;
  const std::optional<Size> shifted = sum(inner.a, number, inner.b.number());
  if (!shifted || __builtin_mul_overflow(inner.b.number(), divisor, &both))
    return Size::of({Atom::Kind::kFloorDiv, {}, *reduced, divisor});
  return floor_quotient(*shifted, both);
}

}  // namespace

std::optional<Size> floor_quotient(const Size& a, const Size& divisor) {
  const auto joined = [](const std::optional<Size>& x, const std::optional<Size>& y) {
    return x && y ? sum(*x, *y) : std::nullopt;
  };
  Polynomial whole, rest;
  if (divisor.is_number()) {
    const int64_t by = divisor.number();
    REQUIRE(by > 0, "division of a size by a number that is not positive");
    if (a.is_number()) return isomer::floor_div(a.number(), by);
    if (by == 1) return a;
    for (Term t : a.terms()) {
      const int64_t quotient = isomer::floor_div(t.factor, by);
      Term left = t;
      left.factor = floor_mod(t.factor, by);
      t.factor = quotient;
      whole.add(std::move(t));
      rest.add(std::move(left));
    }
    const std::optional<Size> left = std::move(rest).take(), even = std::move(whole).take();
    if (!left) return std::nullopt;
    return left->is_number() ? even : joined(even, small_quotient(*left, by));
  }
  if (std::optional<Size> exact = exact_quotient(a, divisor)) return exact;
  // What the divisor divides comes out whole; the rest is a quotient of its own.
  const std::vector<Term> by = divisor.terms();
  for (const Term& t : a.terms()) {
    Term quotient = t;
    if (by.size() == 1 && divide(quotient, by[0]))
      whole.add(std::move(quotient));
    else
      rest.add(t);
  }
  const std::optional<Size> left = std::move(rest).take();
  if (!left) return std::nullopt;
  return joined(std::move(whole).take(), Size::of({Atom::Kind::kFloorDiv, {}, *left, divisor}));
}

/// What the minimum leaves of the sum: N - min(N, 1) and max(N, 1) - 1 are one value. No maximum is kept.
std::optional<Size> larger(const Size& a, const Size& b) {
  const std::optional<Size> least = smaller(a, b);
  if (!least) return std::nullopt;
  if (least->identical(a)) return b;
  if (least->identical(b)) return a;
  const std::optional<Size> rest = sum(a, *least, -1);
  return rest ? sum(*rest, b) : std::nullopt;
}

std::optional<Size> smaller(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return std::min(a.number(), b.number());
  const std::optional<Size> apart = sum(a, b, -1);
  if (!apart) return std::nullopt;
  const Signs signs = SizeFacts().signs(*apart);
  if ((signs & kPositive) == 0) return a;
  if ((signs & kNegative) == 0) return b;
  // What both have is taken out: the rest of one has the terms in which it is ahead.
  const std::vector<Term> terms = apart->terms();
  int64_t common = 0;
  for (const Term& t : terms) common = std::gcd(common, t.factor);
  Polynomial ahead, behind;
  for (Term t : terms) {
    t.factor /= common;
    const bool first = t.factor > 0;
    if (!first) t.factor = -t.factor;
    (first ? ahead : behind).add(std::move(t));
  }
  const std::optional<Size> p = std::move(ahead).take(), q = std::move(behind).take();
  const std::optional<Size> rest = p && q ? sum(b, *q, -common) : std::nullopt;
  if (!rest) return std::nullopt;
  const bool sorted = compare(*p, *q) < 0;
  return sum(*rest, Size::of({Atom::Kind::kMin, {}, sorted ? *p : *q, sorted ? *q : *p}), common);
}

Size Size::floor_div(const Size& divisor) const { return held(floor_quotient(*this, divisor)); }
Size max(const Size& a, const Size& b) { return held(larger(a, b)); }
Size min(const Size& a, const Size& b) { return held(smaller(a, b)); }

std::optional<Size> count_of(const Context& ctx, const Shape& shape) {
  std::optional<Size> out = 1;
  for (const Dim d : shape)
    if (out) out = d.is_unknown() ? std::nullopt : product(*out, size_of(ctx, d));
  return out;
}

size_t weight(const Size& size, size_t most) {
  size_t out = 0;
  for (const Term& t : size.terms()) {
    out += 1 + t.atoms.size();
    for (const auto& atom : t.atoms) {
      if (out >= most) return most;
      if (atom->kind != Atom::Kind::kName) out += weight(atom->a, most - out) + weight(atom->b, most - out);
    }
  }
  return std::min(out, most);
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

namespace {

std::optional<Size> put_in(const Atom& atom, const std::function<Size(SymbolId)>& of) {
  if (atom.kind == Atom::Kind::kName) return of(atom.name);
  const std::optional<Size> a = put_in(atom.a, of), b = put_in(atom.b, of);
  if (!a || !b) return std::nullopt;
  if (atom.kind == Atom::Kind::kFloorDiv) {
    if (b->is_number() && b->number() <= 0) return std::nullopt;
    return floor_quotient(*a, *b);
  }
  return atom.kind == Atom::Kind::kMin ? smaller(*a, *b) : larger(*a, *b);
}

}  // namespace

std::optional<Size> put_in(const Size& size, const std::function<Size(SymbolId)>& of) {
  if (size.is_number()) return size;
  std::optional<Size> all = 0;
  for (const Term& t : size.terms()) {
    std::optional<Size> term = t.factor;
    for (const auto& atom : t.atoms) {
      const std::optional<Size> next = put_in(*atom, of);
      term = term && next ? product(*term, *next) : std::nullopt;
    }
    all = all && term ? sum(*all, *term) : std::nullopt;
  }
  return all;
}

Size Size::with(const std::function<Size(SymbolId)>& of) const { return held(put_in(*this, of)); }

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
