#include "ir/size_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "ir/context.h"
#include "ir/size_sums.h"
#include "support/errors.h"
#include "support/floor_div.h"

namespace isomer::ir {
namespace {

__extension__ using Wide = __int128;
/// Larger than any product of sizes that is looked at.
constexpr Wide kFar = Wide{1} << 100;

Wide held(Wide a) { return std::clamp(a, -kFar, kFar); }
Wide times(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  if (a >= kFar || b >= kFar || a > kFar / b) return kFar;  // both are at least 0
  return a * b;
}

Signs opposite(Signs s) {
  return static_cast<Signs>((s & kZero) | (s & kNegative ? kPositive : 0) | (s & kPositive ? kNegative : 0));
}

bool occurs(const Size& size, SymbolId name) {
  for (const Size::Term& t : size.terms())
    for (const auto& atom : t.atoms)
      if (atom->kind == Size::Atom::Kind::kName ? atom->name == name
                                                : occurs(atom->a, name) || occurs(atom->b, name))
        return true;
  return false;
}

/// What does not divide the number cannot make up for it: 2 N - 1 is 0 at no size.
bool never_zero_by_factors(const Size& size) {
  int64_t common = 0, number = 0;
  for (const Size::Term& t : size.terms())
    if (t.atoms.empty())
      number = t.factor;
    else
      common = std::gcd(common, t.factor);
  return common > 1 && number % common != 0;
}

std::shared_ptr<const Size::Atom> a_minimum(const Size& size) {
  for (const Size::Term& t : size.terms())
    for (const auto& atom : t.atoms)
      if (atom->kind == Size::Atom::Kind::kMin) return atom;
  return nullptr;
}

/// `size` with `by` in the place of one of its atoms; nothing where that is no size any more.
std::optional<Size> replaced(const Size& size, const Size::Atom& atom, const Size& by) {
  const Size whole = Size::of(atom);
  std::optional<Size> out = 0;
  for (const Size::Term& t : size.terms()) {
    std::optional<Size> each = t.factor;
    for (const auto& a : t.atoms) {
      const Size one = Size::of(*a);
      if (each) each = product(*each, one.identical(whole) ? by : one);
    }
    out = out && each ? sum(*out, *each) : std::nullopt;
  }
  return out;
}

/// The run that tells cases apart.
struct Explorer {
  SizeFacts facts;
  std::vector<bool> path;  ///< how its open questions come out
  size_t asked = 0;
};
thread_local Explorer* explorer = nullptr;

/// Whether `size` has one of these signs, in the case at hand.
bool decide(const Size& size, Signs which) {
  if (const std::optional<bool> certain = facts_at_hand().decide(size, which)) return *certain;
  REQUIRE(explorer != nullptr, "a size that is only named, where a number is needed");
  const Signs possible = explorer->facts.signs(size);
  if ((possible & which) == 0 || (possible & ~which) == 0) return (possible & which) != 0;
  if (explorer->asked == explorer->path.size()) explorer->path.push_back(true);
  const bool yes = explorer->path[explorer->asked++];
  explorer->facts.add(size, static_cast<Signs>(yes ? possible & which : possible & ~which));
  return yes;
}

}  // namespace

const SizeFacts& facts_at_hand() {
  static const SizeFacts kNothing;
  return explorer != nullptr ? explorer->facts : kNothing;
}

void suppose(const Size& size, Signs signs) {
  REQUIRE(explorer != nullptr, "something is supposed where no cases are told apart");
  explorer->facts.add(size, signs);
}

bool operator==(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  return decide(a - b, kZero);
}

bool operator<(const Size& a, const Size& b) {
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  return decide(a - b, kNegative);
}

struct SizeFacts::Range {
  Wide low = -kFar, high = kFar;
};

SizeFacts::Bounds SizeFacts::bounds(SymbolId name) const {
  const auto it = bounds_.find(name);
  return it == bounds_.end() ? Bounds{} : it->second;
}

SizeFacts::Range SizeFacts::range(const Size::Atom& atom) const {
  using Kind = Size::Atom::Kind;
  if (atom.kind == Kind::kName) {
    const Bounds b = bounds(atom.name);
    return {b.low, b.high};
  }
  const Range a = range(atom.a), b = range(atom.b);
  if (atom.kind == Kind::kMax) return {std::max(a.low, b.low), std::max(a.high, b.high)};
  if (atom.kind == Kind::kMin) return {std::min(a.low, b.low), std::min(a.high, b.high)};
  if (a.low < 0 || b.low < 1) return {};
  return {b.high >= kFar ? 0 : a.low / b.high, a.high >= kFar ? kFar : a.high / b.low};
}

/// Each name is taken as its least value and something of at least 0, so that what is large of one term can
/// make up for another: N M - N is not negative where M is at least 1.
SizeFacts::Range SizeFacts::range(const Size& size) const {
  Size risen = 0;
  for (const Size::Term& t : size.terms()) {
    Size term = t.factor;
    for (const auto& atom : t.atoms) {
      const bool named = atom->kind == Size::Atom::Kind::kName;
      const auto next =
          product(term, named ? Size::named(atom->name) + bounds(atom->name).low : Size::of(*atom));
      if (!next) return {};
      term = *next;
    }
    const auto next = sum(risen, term);
    if (!next) return {};
    risen = *next;
  }
  Range all{0, 0};
  for (const Size::Term& t : risen.terms()) {
    Range each{1, 1};
    bool known = true;
    for (const auto& atom : t.atoms) {
      Range r;
      if (atom->kind == Size::Atom::Kind::kName) {
        const Bounds b = bounds(atom->name);
        r = {0, b.high - b.low};
      } else {
        r = range(*atom);
      }
      known = known && r.low >= 0;
      each = {times(std::max<Wide>(r.low, 0), each.low), times(std::max<Wide>(r.high, 0), each.high)};
    }
    if (!known) return {};
    const Wide factor = t.factor < 0 ? -Wide{t.factor} : Wide{t.factor};
    const Range scaled{times(factor, each.low), times(factor, each.high)};
    all.low = held(all.low + (t.factor < 0 ? -scaled.high : scaled.low));
    all.high = held(all.high + (t.factor < 0 ? -scaled.low : scaled.high));
    if (scaled.high >= kFar) (t.factor < 0 ? all.low : all.high) = t.factor < 0 ? -kFar : kFar;
  }
  return all;
}

Size SizeFacts::normal(const Size& size) const {
  if (size.is_number() || equal_to_.empty()) return size;
  const auto put = put_in(size, [&](SymbolId name) {
    const auto it = equal_to_.find(name);
    return it == equal_to_.end() ? Size::named(name) : it->second;
  });
  return put ? *put : size;
}

namespace {
/// Of `splits` minima in a size both cases are looked at.
constexpr int kSplits = 3;

/// Whether a size with one of these signs may have one of `which`, and may have none. Of no signs in
/// particular: whether it may have several.
bool open(Signs possible, Signs which) {
  if (which == 0) return (possible & (possible - 1)) != 0;
  return (possible & which) != 0 && (possible & ~which) != 0;
}
}  // namespace

Signs SizeFacts::signs(const Size& size) const { return signs(size, 0, kSplits); }

std::optional<bool> SizeFacts::decide(const Size& size, Signs which) const {
  const Signs possible = signs(size, which, kSplits);
  if (open(possible, which)) return std::nullopt;
  return (possible & ~which) == 0;
}

/// As far as they tell whether the size has one of `which`.
Signs SizeFacts::signs(const Size& asked, Signs which, int splits) const {
  const Size size = normal(asked);
  if (size.is_number()) return size.number() < 0 ? kNegative : size.number() == 0 ? kZero : kPositive;
  Signs out = kNegative | kZero | kPositive;
  const Range r = range(size);
  if (r.low >= 0) out &= static_cast<Signs>(~kNegative);
  if (r.low > 0) out &= static_cast<Signs>(~kZero);
  if (r.high <= 0) out &= static_cast<Signs>(~kPositive);
  if (r.high < 0) out &= static_cast<Signs>(~kZero);
  for (const auto& [given, signs] : given_) {
    const Size known = normal(given);
    if (known.identical(size)) out &= signs;
    if (known.identical(Size(0) - size)) out &= opposite(signs);
  }
  if (never_zero_by_factors(size)) out &= static_cast<Signs>(~kZero);
  if (splits == 0 || !open(out, which)) return out;
  const std::shared_ptr<const Size::Atom> least = a_minimum(size);
  return least == nullptr ? out : out & signs_by_minimum(size, *least, which, splits - 1);
}

/// A minimum is one of two sizes: the signs of either, in the case in which it is that one.
Signs SizeFacts::signs_by_minimum(const Size& size, const Size::Atom& least, Signs which, int splits) const {
  constexpr Signs kAny = kNegative | kZero | kPositive;
  const std::optional<Size> apart = sum(least.a, least.b, -1);
  if (!apart) return kAny;
  Signs out = 0;
  for (const bool first : {true, false}) {
    const Signs order = first ? kNegative | kZero : kPositive;
    if ((signs(*apart, order, 0) & order) == 0) continue;
    const std::optional<Size> as_one = replaced(size, least, first ? least.a : least.b);
    if (!as_one) return kAny;
    SizeFacts here = *this;
    here.add(*apart, order);
    out |= here.signs(*as_one, which, splits);
    if (which != 0 && open(out, which)) return kAny;
  }
  return out != 0 ? out : kAny;
}

/// Solves `zero` = 0 for a name, and puts that in its place.
bool SizeFacts::put_in_place(const Size& zero) {
  for (const Size::Term& t : zero.terms()) {
    if (t.atoms.size() != 1 || t.atoms[0]->kind != Size::Atom::Kind::kName) continue;
    if (t.factor != 1 && t.factor != -1) continue;
    const SymbolId name = t.atoms[0]->name;
    const Size rest = zero - Size::named(name) * t.factor;
    if (occurs(rest, name)) continue;
    const Size value = t.factor == 1 ? Size(0) - rest : rest;
    std::map<SymbolId, Size> equal_to = equal_to_;
    bool fits = true;
    for (auto& [other, of] : equal_to) {
      const auto put = put_in(of, [&](SymbolId s) { return s == name ? value : Size::named(s); });
      fits = fits && put;
      if (put) of = *put;
    }
    if (!fits) continue;
    equal_to_ = std::move(equal_to);
    equal_to_[name] = value;
    return true;
  }
  return false;
}

/// Bounds of a name from a size with that name alone in it.
void SizeFacts::narrow(const Size& size, Signs signs) {
  int64_t factor = 0, number = 0;
  SymbolId name;
  for (const Size::Term& t : size.terms()) {
    if (t.atoms.empty()) {
      number = t.factor;
    } else if (t.atoms.size() == 1 && t.atoms[0]->kind == Size::Atom::Kind::kName && factor == 0) {
      factor = t.factor;
      name = t.atoms[0]->name;
    } else {
      return;
    }
  }
  if (factor == 0) return;
  if (factor < 0) {
    factor = -factor;
    number = -number;
    signs = opposite(signs);
  }
  Bounds& b = bounds_.try_emplace(name, bounds(name)).first->second;
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
  const int64_t below = floor_div(-number, factor), above = -floor_div(number, factor);  // around zero
  if (signs == kPositive) b.low = std::max(b.low, below == kMost ? below : below + 1);
  if (signs == (kPositive | kZero)) b.low = std::max(b.low, above);
  if (signs == kNegative) b.high = std::min(b.high, above == kLeast ? above : above - 1);
  if (signs == (kNegative | kZero)) b.high = std::min(b.high, below);
  if (signs == (kNegative | kPositive) && below == above) {
    if (b.low == below) ++b.low;
    if (b.high == below) --b.high;
  }
}

void SizeFacts::add(const Size& asked, Signs signs) {
  const Size size = normal(asked);
  given_.emplace_back(asked, signs);
  if (signs == kZero && put_in_place(size)) return;
  narrow(size, signs);
}

std::string print(const Context& ctx, const SizeFacts& facts) {
  std::string out;
  for (const auto& [size, signs] : facts.given()) {
    const char* relation = signs == kZero                 ? "=0"
                           : signs == kPositive           ? ">0"
                           : signs == kNegative           ? "<0"
                           : signs == (kZero | kPositive) ? ">=0"
                           : signs == (kZero | kNegative) ? "<=0"
                                                          : "!=0";
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", print(ctx, size), relation);
  }
  return out;
}

std::optional<std::vector<SizeFacts>> for_each_case(const std::function<void()>& run, const SizeFacts& given,
                                                    size_t most) {
  std::vector<SizeFacts> out;
  Explorer here{given, {}, 0};
  while (true) {
    here.facts = given;
    here.asked = 0;
    struct Scope {
      Explorer* before;
      explicit Scope(Explorer* now) : before(std::exchange(explorer, now)) {}
      ~Scope() { explorer = before; }
    };
    {
      const Scope scope(&here);
      run();
    }
    out.push_back(here.facts);
    here.path.resize(here.asked);
    while (!here.path.empty() && !here.path.back()) here.path.pop_back();
    if (here.path.empty()) return out;
    if (out.size() >= most) return std::nullopt;
    here.path.back() = false;
  }
}

}  // namespace isomer::ir
