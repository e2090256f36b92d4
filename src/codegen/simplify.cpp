#include "codegen/simplify.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "codegen/accesses.h"
#include "support/floor_div.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;
using Kind = IndexExpr::Kind;

constexpr int64_t kFar = int64_t{1} << 40;  ///< nothing is said of numbers beyond

/// All values from low to high; beyond kFar nothing is known.
struct Range {
  int64_t low = -kFar, high = kFar;

  bool known() const { return low > -kFar && high < kFar; }
  bool within(int64_t begin, int64_t end) const { return known() && low >= begin && high < end; }
};
int64_t clamped(int64_t v) { return std::clamp(v, -kFar, kFar); }
Range operator+(Range a, Range b) { return {clamped(a.low + b.low), clamped(a.high + b.high)}; }
Range scaled(Range r, int64_t by) {
  const auto times = [&](int64_t v) {
    int64_t out = 0;
    return __builtin_mul_overflow(v, by, &out) ? (v > 0) == (by > 0) ? kFar : -kFar : clamped(out);
  };
  return by < 0 ? Range{times(r.high), times(r.low)} : Range{times(r.low), times(r.high)};
}

/// A multiple of a variable, or of what is no sum.
struct Term {
  IndexExpr atom;
  int64_t factor = 0;
  Range range;  ///< of the atom
};
struct Sum {
  int64_t constant = 0;
  std::vector<Term> terms;  ///< factors are not 0, atoms differ; in the order in which they were met

  void add(const Sum& other, int64_t factor) {
    constant += other.constant * factor;
    for (const Term& t : other.terms) {
      const auto same =
          std::ranges::find_if(terms, [&](const Term& own) { return identical(own.atom, t.atom); });
      if (same != terms.end())
        same->factor += t.factor * factor;
      else
        terms.push_back({t.atom, t.factor * factor, t.range});
    }
    std::erase_if(terms, [](const Term& t) { return t.factor == 0; });
  }
  IndexExpr expression() const {
    if (terms.empty()) return constant;
    std::optional<IndexExpr> out;
    for (const Term& t : terms) {
      const IndexExpr one = t.factor == 1 ? t.atom : t.atom * t.factor;
      out = out ? *out + one : one;
    }
    return constant == 0 ? *out : *out + constant;
  }
};

/// 0 <= sum < below.
struct Fact {
  Sum sum;
  int64_t below = 0;
};

/// What is left of the sum without `times` the fact's, if that is all of it that has the fact's atoms.
std::optional<std::pair<int64_t, Sum>> without(const Sum& sum, const Sum& fact) {
  if (fact.terms.empty()) return std::nullopt;
  const auto factor_in = [&](const Term& t) {
    const auto own =
        std::ranges::find_if(sum.terms, [&](const Term& s) { return identical(s.atom, t.atom); });
    return own == sum.terms.end() ? 0 : own->factor;
  };
  const int64_t first = factor_in(fact.terms[0]), times = first / fact.terms[0].factor;
  if (times == 0) return std::nullopt;
  for (const Term& t : fact.terms)
    if (factor_in(t) != times * t.factor) return std::nullopt;
  Sum rest = sum;
  rest.add(fact, -times);
  return std::pair(times, std::move(rest));
}

Range plain_range(const Sum& sum) {
  Range out{sum.constant, sum.constant};
  for (const Term& t : sum.terms) out = out + scaled(t.range, t.factor);
  return out;
}

class Simplifier {
 public:
  Simplifier(const std::vector<Range>& variables, const std::vector<Fact>& facts)
      : variables_(variables), facts_(facts) {}

  Sum of(const IndexExpr& e) const {
    switch (e.kind()) {
      case Kind::kConst: return {e.value(), {}};
      case Kind::kVar: return variable(static_cast<int>(e.value()));
      case Kind::kLoad: return atom(e, {});
      default: break;
    }
    Sum left = of(e.lhs());
    switch (e.kind()) {
      case Kind::kMulConst: {
        Sum out;
        out.add(left, e.value());
        return out;
      }
      case Kind::kFloorDiv: return quotient(left, e.value());
      case Kind::kMod: return remainder(left, e.value());
      default: break;
    }
    const Sum right = of(e.rhs());
    if (e.kind() == Kind::kAdd) {
      left.add(right, 1);
      return left;
    }
    return extreme(e.kind(), left, right);
  }

  Range range(const Sum& sum) const {
    Range out = plain_range(sum);
    for (const Fact& f : facts_)
      if (const auto parts = without(sum, f.sum)) {
        // The fact is of the whole sum, its constant included; so is what was taken off.
        const Range r = scaled({0, f.below - 1}, parts->first) + plain_range(parts->second);
        out = {std::max(out.low, r.low), std::min(out.high, r.high)};
      }
    return out;
  }

 private:
  Sum variable(int v) const {
    const Range r = variables_[static_cast<size_t>(v)];
    if (r.low == r.high) return {r.low, {}};
    return atom(IndexExpr::var(v), r);
  }
  static Sum atom(const IndexExpr& e, Range r) { return {0, {{e, 1, r}}}; }

  struct Parts {
    Sum quotient, rest;  ///< divisor * quotient + rest
  };
  /// The rest in [0, divisor) where ranges show a period that it lies in; else as small as factors allow.
  Parts split(const Sum& sum, int64_t divisor) const {
    Parts out;
    out.quotient.constant = floor_div(sum.constant, divisor);
    out.rest.constant = floor_mod(sum.constant, divisor);
    for (const Term& t : sum.terms) {
      Sum& to = t.factor % divisor == 0 ? out.quotient : out.rest;
      to.terms.push_back({t.atom, t.factor % divisor == 0 ? t.factor / divisor : t.factor, t.range});
    }
    const Range r = range(out.rest);
    if (r.known() && floor_div(r.low, divisor) == floor_div(r.high, divisor)) {
      const int64_t period = floor_div(r.low, divisor);
      out.quotient.constant += period;
      out.rest.constant -= period * divisor;
    }
    return out;
  }
  bool below(const Sum& rest, int64_t divisor) const { return range(rest).within(0, divisor); }

  /// The rest as g * outer + inner with 0 <= inner < g, for the largest such g that divides the divisor.
  std::optional<std::pair<int64_t, Parts>> by_common(const Sum& rest, int64_t divisor) const {
    std::vector<int64_t> candidates;
    for (const Term& t : rest.terms) candidates.push_back(std::gcd(t.factor, divisor));
    std::ranges::sort(candidates, std::greater<>());
    for (const int64_t g : candidates) {
      if (g <= 1) break;
      Parts p = split(rest, g);
      if (!p.quotient.terms.empty() && below(p.rest, g)) return std::pair(g, std::move(p));
    }
    return std::nullopt;
  }

  Sum quotient(const Sum& sum, int64_t divisor) const {
    if (divisor == 1) return sum;
    if (sum.constant == 0 && sum.terms.size() == 1 && sum.terms[0].factor == 1 &&
        sum.terms[0].atom.kind() == Kind::kFloorDiv)  // (x / a) / b
      return quotient(of(sum.terms[0].atom.lhs()), sum.terms[0].atom.value() * divisor);
    Parts p = split(sum, divisor);
    if (below(p.rest, divisor)) return p.quotient;
    Sum out = p.quotient;
    if (const auto common = by_common(p.rest, divisor)) {
      out.add(quotient(common->second.quotient, divisor / common->first), 1);
      return out;
    }
    const Range r = range(p.rest);
    out.add(atom(p.rest.expression().floor_div(divisor),
                 r.known() ? Range{floor_div(r.low, divisor), floor_div(r.high, divisor)} : Range{}),
            1);
    return out;
  }
  Sum remainder(const Sum& sum, int64_t divisor) const {
    if (divisor == 1) return {};
    const Parts p = split(sum, divisor);
    if (below(p.rest, divisor)) return p.rest;
    if (const auto common = by_common(p.rest, divisor)) {
      Sum out = common->second.rest;
      out.add(remainder(common->second.quotient, divisor / common->first), common->first);
      return out;
    }
    return atom(p.rest.expression().mod(divisor), {0, divisor - 1});
  }
  Sum extreme(Kind kind, const Sum& left, const Sum& right) const {
    Sum apart = left;
    apart.add(right, -1);
    const Range d = range(apart);
    if (d.known() && (d.high <= 0 || d.low >= 0)) return (d.high <= 0) == (kind == Kind::kMin) ? left : right;
    const Range a = range(left), b = range(right);
    const bool least = kind == Kind::kMin;
    const Range r = least ? Range{std::min(a.low, b.low), std::min(a.high, b.high)}
                          : Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    const IndexExpr x = left.expression(), y = right.expression();
    return atom(least ? min(x, y) : max(x, y), r);
  }

  const std::vector<Range>& variables_;
  const std::vector<Fact>& facts_;
};

/// Digits of one expression, whose places are as far apart as they should be, as one term.
bool join_digits(Sum& sum) {
  for (const Term& low : sum.terms) {
    if (low.atom.kind() != Kind::kMod) continue;
    const IndexExpr& x = low.atom.lhs();
    const int64_t n = low.atom.value();
    for (const Term& high : sum.terms) {
      int64_t place = 0;
      if (high.factor % n != 0 || high.factor / n != low.factor) continue;
      const bool quotient = high.atom.kind() == Kind::kFloorDiv, digit = high.atom.kind() == Kind::kMod;
      const IndexExpr* of = quotient ? &high.atom : digit ? &high.atom.lhs() : nullptr;
      if (of != nullptr && of->kind() == Kind::kFloorDiv) place = of->value();
      if (place != n || !identical(of->lhs(), x)) continue;
      Sum joined;
      joined.terms.push_back({quotient ? x : x.mod(n * high.atom.value()), low.factor, {}});
      joined.constant = sum.constant;
      for (const Term& t : sum.terms)
        if (&t != &low && &t != &high) joined.add({0, {t}}, 1);
      sum = std::move(joined);
      return true;
    }
  }
  return false;
}

class Pass {
 public:
  explicit Pass(size_t variables) : variables_(variables) {}

  void statements(std::vector<Statement>& body) {
    for (Statement& s : body) {
      if (auto* loop = std::get_if<Loop>(&s.node)) {
        const bool plain = loop->begin.kind() == Kind::kConst && loop->end.kind() == Kind::kConst;
        variables_[static_cast<size_t>(loop->variable)] =
            plain && loop->begin.value() < loop->end.value()
                ? Range{loop->begin.value(), loop->end.value() - 1}
                : Range{};
        statements(loop->body);
        continue;
      }
      auto& store = std::get<Store>(s.node);
      access(store.target);
      for (Access& read : store.reads) access(read);
      for (IndexExpr& place : store.places) place = Simplifier(variables_, {}).of(place).expression();
    }
  }

 private:
  void access(Access& a) {
    std::vector<Fact> facts;
    const Simplifier plain(variables_, facts);
    std::vector<Bound> kept;
    for (const Bound& b : a.bounds) {
      const Sum sum = plain.of(b.value);
      if (plain.range(sum).within(0, b.below)) continue;
      kept.push_back({sum.expression(), b.below});
      facts.push_back({sum, b.below});
    }
    a.bounds = std::move(kept);
    const Simplifier known(variables_, facts);
    for (size_t d = a.index.size(); d-- > 0;) {
      IndexExpr& e = a.index[d];
      if (d > 0 &&
          are_digits(a.index[d - 1], e)) {  // two dimensions that one expression goes through stay so
        const IndexExpr high = known.of(a.index[d - 1]).expression(), low = known.of(e).expression();
        const IndexExpr both = known.of(e.lhs()).expression();
        const bool apart = !divides(high);
        a.index[d - 1] = apart ? high : both.floor_div(e.value());
        e = apart ? low : both.mod(e.value());
        --d;
        continue;
      }
      e = known.of(e).expression();
    }
  }

  std::vector<Range> variables_;
};

}  // namespace

bool divides(const IndexExpr& e) {
  switch (e.kind()) {
    case Kind::kConst:
    case Kind::kVar:
    case Kind::kLoad: return false;
    case Kind::kMulConst: return divides(e.lhs());
    case Kind::kFloorDiv:
    case Kind::kMod: return true;
    default: return divides(e.lhs()) || divides(e.rhs());
  }
}

std::optional<IndexExpr> offset_of(const Buffer& buffer, const Access& access) {
  int most = -1;
  bool loaded = false;
  for (const IndexExpr& i : access.index)
    for_each_leaf(i, [&](int v) { most = std::max(most, v); }, [&](int) { loaded = true; });
  if (loaded) return std::nullopt;
  const std::vector<Range> unknown(static_cast<size_t>(most + 1));
  const std::vector<Fact> none;
  Sum sum;
  int64_t step = 1;
  for (size_t d = access.index.size(); d-- > 0; step *= buffer.sizes[d])
    sum.add(Simplifier(unknown, none).of(access.index[d]), step);
  for (bool joined = true; joined;) joined = join_digits(sum);
  // What was joined may be a sum.
  Sum plain;
  plain.constant = sum.constant;
  for (const Term& t : sum.terms) plain.add(Simplifier(unknown, none).of(t.atom), t.factor);
  const IndexExpr out = plain.expression();
  return divides(out) ? std::nullopt : std::optional(out);
}

LoopProgram simplify_indices(LoopProgram program) {
  Pass(program.variables.size()).statements(program.body);
  return program;
}

}  // namespace isomer::codegen
