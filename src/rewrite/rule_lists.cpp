#include "rewrite/rule_lists.h"

#include <algorithm>
#include <utility>

namespace isomer::rewrite {
namespace {

/// Two lists; a number is repeated as often as the other is long. Nothing unless one is a list and both are
/// of numbers.
std::optional<std::pair<Ints, Ints>> pair_of(const Value& a, const Value& b) {
  const auto x = as_int(a), y = as_int(b);
  if (x && y) return std::nullopt;
  auto l = as_ints(a), m = as_ints(b);
  if ((!l && !m) || (!l && !x) || (!m && !y)) return std::nullopt;
  if (!l) l.emplace(m->size(), *x);
  if (!m) m.emplace(l->size(), *y);
  return std::pair(std::move(*l), std::move(*m));
}

Value marks(const Ints& places, int64_t count) {
  if (count < 0 || count > static_cast<int64_t>(kLongestList)) return std::nullopt;
  Ints out(static_cast<size_t>(count), 0);
  for (const int64_t i : places) {
    if (i < 0 || i >= count) return std::nullopt;
    out[static_cast<size_t>(i)] = 1;
  }
  return ir::AttrValue(out);
}

Value at_all(const Ints& list, const Ints& places) {
  Ints out;
  for (const int64_t i : places) {
    if (i < 0 || i >= static_cast<int64_t>(list.size())) return std::nullopt;
    out.push_back(list[static_cast<size_t>(i)]);
  }
  return ir::AttrValue(out);
}

bool is_negative(int64_t i) { return i < 0; }

Value replaced(Ints list, std::optional<int64_t> place, std::optional<int64_t> by) {
  const auto size = static_cast<int64_t>(list.size());
  if (!place || !by || *place < -size || *place >= size) return std::nullopt;
  list[static_cast<size_t>(*place < 0 ? *place + size : *place)] = *by;
  return ir::AttrValue(list);
}

}  // namespace

std::optional<int64_t> integer_arithmetic(Function op, int64_t x, int64_t y) {
  int64_t out = 0;
  switch (op) {
    case Function::kPlus: return __builtin_add_overflow(x, y, &out) ? std::nullopt : std::optional(out);
    case Function::kMinus: return __builtin_sub_overflow(x, y, &out) ? std::nullopt : std::optional(out);
    case Function::kTimes: return __builtin_mul_overflow(x, y, &out) ? std::nullopt : std::optional(out);
    case Function::kOver: return y == 0 || y == -1 || x % y != 0 ? std::nullopt : std::optional(x / y);
    case Function::kMin: return std::min(x, y);
    case Function::kMax: return std::max(x, y);
    default: return y == 0 || y == -1 ? std::nullopt : std::optional(x % y);
  }
}

std::optional<Value> list_arithmetic(Function op, const Value& a, const Value& b) {
  const auto pair = pair_of(a, b);
  if (!pair) return std::nullopt;
  const auto& [x, y] = *pair;
  if (x.size() != y.size()) return Value();
  Ints out;
  out.reserve(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const auto v = integer_arithmetic(op, x[i], y[i]);
    if (!v) return Value();
    out.push_back(*v);
  }
  return Value(ir::AttrValue(std::move(out)));
}

std::optional<Value> list_comparison(Function op, const Value& a, const Value& b) {
  const bool equality = op == Function::kEqual || op == Function::kUnequal;
  if (equality && !as_int(a) && !as_int(b)) return std::nullopt;  // shapes mostly, which need no copies
  const auto pair = pair_of(a, b);
  if (!pair) return std::nullopt;
  const auto& [x, y] = *pair;
  if (x.size() != y.size()) return Value();
  bool all = true;
  for (size_t i = 0; i < x.size(); ++i) all = all && compares(op, x[i], y[i]);
  return Value(truth(all != (op == Function::kUnequal)));
}

std::optional<Value> of_number_lists(Function f, const std::vector<Value>& args) {
  using enum Function;
  if (f != kPlaces && f != kMarks && f != kAt && f != kJoin && f != kReplace) return std::nullopt;
  if (f == kAt && as_int(args[1])) return std::nullopt;  // one place
  const auto list = as_ints(args[0]);
  if (!list) return std::nullopt;
  if (f == kPlaces) {
    Ints out;
    for (size_t i = 0; i < list->size(); ++i)
      if ((*list)[i] != 0) out.push_back(static_cast<int64_t>(i));
    return Value(ir::AttrValue(out));
  }
  if (f == kMarks) {
    const auto count = as_int(args[1]);
    return count ? marks(*list, *count) : Value();
  }
  const auto other = as_ints(args[1]);
  if (f == kAt && other) return at_all(*list, *other);
  if (f == kJoin && other &&
      (std::ranges::any_of(*list, is_negative) || std::ranges::any_of(*other, is_negative))) {
    if (list->size() + other->size() > kLongestList) return Value();
    Ints out = *list;
    out.insert(out.end(), other->begin(), other->end());
    return Value(ir::AttrValue(out));
  }
  if (f != kReplace) return std::nullopt;
  const auto by = as_int(args[2]);
  if (std::ranges::any_of(*list, is_negative) || (by && *by < 0)) return replaced(*list, as_int(args[1]), by);
  return std::nullopt;
}

}  // namespace isomer::rewrite
