#include "rewrite/rule_solutions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "ir/constant_data.h"
#include "rewrite/adjacent.h"
#include "rewrite/rule_values.h"

namespace isomer::rewrite {
namespace {

constexpr double kFarthest = 0x1p40, kInfinity = std::numeric_limits<double>::infinity();

/// A variable of which numbers are known one by one.
struct Unknown {
  bool is_attribute = false;
  uint32_t index = 0;
  auto operator<=>(const Unknown&) const = default;
};

class Conditions {
 public:
  explicit Conditions(const Rule& rule) : rule_(rule), matched_(rule.attributes.size() - rule.lets.size()) {}

  /// By variable.
  std::map<Unknown, std::vector<const Expr*>> of_one() const {
    std::map<Unknown, std::vector<const Expr*>> out;
    for (const Expr& condition : rule_.conditions) {
      std::set<Unknown> unknowns;
      if (find(condition, unknowns) && unknowns.size() == 1) out[*unknowns.begin()].push_back(&condition);
    }
    return out;
  }

  /// Nothing where it has no value; truth is 0 or 1.
  std::optional<double> value(const Expr& e, double of_unknown) const {
    if (as_unknown(e)) return of_unknown;
    if (const Expr* let = as_let(e)) return value(*let, of_unknown);
    if (e.kind == Expr::Kind::kLiteral) return number(e);
    std::vector<double> args;
    for (const Expr& arg : e.args) {
      const auto of_arg = value(arg, of_unknown);
      if (!of_arg) return std::nullopt;
      args.push_back(*of_arg);
    }
    return args.size() == 2 ? of_two(e.function, args[0], args[1]) : of_one(e.function, args[0]);
  }

 private:
  static std::optional<double> number(const Expr& e) {
    if (const auto* i = std::get_if<int64_t>(&e.value)) return static_cast<double>(*i);
    const auto* d = std::get_if<double>(&e.value);
    return d != nullptr ? std::optional(*d) : std::nullopt;
  }

  std::optional<Unknown> as_unknown(const Expr& e) const {
    if (e.kind == Expr::Kind::kAttr && e.index < matched_) return Unknown{true, e.index};
    if (e.kind != Expr::Kind::kCall || e.args.empty()) return std::nullopt;
    if (e.function == Function::kSplat && e.args[0].kind == Expr::Kind::kTensor)
      return Unknown{false, e.args[0].index};
    if (e.function == Function::kAt && e.args[0].kind == Expr::Kind::kAttr && e.args[0].index < matched_ &&
        e.args[1].kind == Expr::Kind::kLiteral)
      return Unknown{true, e.args[0].index};
    return std::nullopt;
  }

  const Expr* as_let(const Expr& e) const {
    if (e.kind != Expr::Kind::kAttr || e.index < matched_) return nullptr;
    for (const Rule::Let& let : rule_.lets)
      if (let.attribute == e.index) return &let.value;
    return nullptr;
  }

  /// Whether the expression is of numbers and unknowns alone.
  bool find(const Expr& e, std::set<Unknown>& unknowns) const {
    if (const auto unknown = as_unknown(e)) {
      unknowns.insert(*unknown);
      return true;
    }
    if (const Expr* let = as_let(e)) return find(*let, unknowns);
    if (e.kind == Expr::Kind::kLiteral) return number(e).has_value();
    if (e.kind != Expr::Kind::kCall) return false;
    const bool known = e.args.size() == 2 ? of_two(e.function, 1, 1).has_value()
                                          : e.args.size() == 1 && of_one(e.function, 1).has_value();
    return known && std::ranges::all_of(e.args, [&](const Expr& arg) { return find(arg, unknowns); });
  }

  static std::optional<double> of_one(Function f, double a) {
    if (f == Function::kNot) return a == 0;
    if (f == Function::kInteger) return std::floor(a) == a ? std::optional(a) : std::nullopt;
    return std::nullopt;
  }

  static std::optional<double> of_two(Function f, double a, double b) {
    const bool whole = std::floor(a) == a && std::floor(b) == b;
    switch (f) {
      case Function::kOr: return a != 0 || b != 0;
      case Function::kAnd: return a != 0 && b != 0;
      case Function::kEqual: return a == b;
      case Function::kNear: return are_near(a, b);
      case Function::kUnequal: return a != b;
      case Function::kLess: return a < b;
      case Function::kAtMost: return a <= b;
      case Function::kGreater: return a > b;
      case Function::kAtLeast: return a >= b;
      case Function::kPlus: return a + b;
      case Function::kMinus: return a - b;
      case Function::kTimes: return a * b;
      case Function::kMin: return std::min(a, b);
      case Function::kMax: return std::max(a, b);
      case Function::kOver:
        return b == 0 || (whole && std::fmod(a, b) != 0) ? std::nullopt : std::optional(a / b);
      case Function::kRest: return b == 0 || !whole ? std::nullopt : std::optional(std::fmod(a, b));
      default: return std::nullopt;
    }
  }

  const Rule& rule_;
  size_t matched_;
};

/// At which numbers conditions hold.
class Search {
 public:
  Search(const Conditions& conditions, std::span<const Expr* const> of_one)
      : conditions_(conditions), of_one_(of_one) {}

  std::vector<double> run() {
    constexpr int64_t kLowest = -1024, kHighest = 16384;
    std::vector<double> edges;
    bool before = holds(kLowest - 1), now = holds(kLowest);
    for (int64_t i = kLowest; i <= kHighest; ++i) {
      const bool after = holds(static_cast<double>(i + 1));
      if (now && !(before && after)) edges.push_back(static_cast<double>(i));
      if (now != after) between(static_cast<double>(i), static_cast<double>(i + 1));
      before = std::exchange(now, after);
    }
    for (const double sign : {1.0, -1.0})
      for (double end = sign > 0 ? kHighest : -kLowest; end < kFarthest; end *= 2)
        if (holds(sign * end) != holds(sign * 2 * end)) threshold(sign * end, sign * 2 * end);
    std::ranges::stable_sort(edges, {}, [](double x) { return std::abs(x); });
    constexpr size_t kMost = 6;
    edges.resize(std::min(edges.size(), kMost));
    edges.insert(edges.end(), further_.begin(), further_.end());
    const double beyond = ir::row(ir::DType::kF16).format.largest;
    if (std::ranges::any_of(edges, [&](double x) { return std::abs(x) > beyond; }))
      for (const double end : {kInfinity, -kInfinity})  // what it is in 16 bits
        if (holds(end)) edges.push_back(end);
    return edges;
  }

 private:
  bool holds(double x) const {
    return std::ranges::all_of(of_one_, [&](const Expr* e) {
      const auto truth = conditions_.value(*e, x);
      return truth && *truth != 0;
    });
  }

  /// The last number that holds, of each type, where that is none of these two.
  void between(double low, double high) {
    const double first = low, last = high;
    const bool below = holds(first);
    for (int step = 0; step < 60; ++step) {
      const double middle = low + (high - low) / 2;
      (holds(middle) == below ? low : high) = middle;
    }
    const double end = below ? low : high;
    if (end == first || end == last) return;
    further_.push_back(end);
    for (const ir::DType dtype : {ir::DType::kF32, ir::DType::kF16, ir::DType::kBF16}) {
      double x = ir::round_to(dtype, end);
      if (!holds(x)) x = next_to(dtype, x, !below);
      if (holds(x) && std::ranges::find(further_, x) == further_.end()) further_.push_back(x);
    }
  }

  void threshold(double near, double far) {
    const bool there = holds(near);
    while (std::abs(far - near) > 1) {
      const double middle = std::floor(near + (far - near) / 2);
      (holds(middle) == there ? near : far) = middle;
    }
    further_.insert(further_.end(), {near, far});
  }

  const Conditions& conditions_;
  std::span<const Expr* const> of_one_;
  std::vector<double> further_;
};

}  // namespace

Solutions solutions_of(const Rule& rule) {
  Solutions out;
  const Conditions conditions(rule);
  for (const auto& [unknown, of_one] : conditions.of_one())
    if (auto found = Search(conditions, of_one).run(); !found.empty())
      (unknown.is_attribute ? out.attributes : out.splats)[unknown.index] = std::move(found);
  return out;
}

}  // namespace isomer::rewrite
