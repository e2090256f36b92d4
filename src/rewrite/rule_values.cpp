#include "rewrite/rule_values.h"

#include <algorithm>

#include "ir/size_case.h"
#include "ir/size_formula.h"
#include "ir/size_sums.h"

namespace isomer::rewrite {

using ir::Size;

namespace {
ir::Signs signs(const Size& size) { return ir::SizeFacts().signs(size); }
}  // namespace

std::optional<ir::Shape> as_list(const Value& v) {
  if (!v) return std::nullopt;
  if (const auto* l = std::get_if<Ints>(&*v)) {
    ir::Shape out;
    for (int64_t i : *l) {
      if (i < 0) return std::nullopt;
      out.emplace_back(i);
    }
    return out;
  }
  if (const auto* s = std::get_if<ir::Shape>(&*v)) {
    if (std::any_of(s->begin(), s->end(), [](ir::Dim d) { return d.is_unknown(); })) return std::nullopt;
    return *s;
  }
  return std::nullopt;
}
std::optional<Ints> as_ints(const Value& v) {
  if (!v) return std::nullopt;
  if (const auto* l = std::get_if<Ints>(&*v)) return *l;
  const std::optional<ir::Shape> list = as_list(v);
  if (!list || !ir::is_static(*list)) return std::nullopt;
  return ir::sizes(*list);
}
Value from_dim(ir::Dim d) {
  if (d.is_static()) return ir::AttrValue(d.size());
  if (d.is_symbol()) return ir::AttrValue(ir::Shape{d});  // a named size, and a list of one
  return std::nullopt;
}
Value from_list(ir::Shape list) {
  if (ir::is_static(list)) return ir::AttrValue(ir::sizes(list));
  return ir::AttrValue(std::move(list));
}

std::optional<Size> as_size(const ir::Context& ctx, const Value& v) {
  if (const auto i = as_int(v)) return Size(*i);
  const auto* list = v ? std::get_if<ir::Shape>(&*v) : nullptr;
  if (list == nullptr || list->size() != 1 || (*list)[0].is_unknown()) return std::nullopt;
  return size_of(ctx, (*list)[0]);
}
Value from_size(ir::Context& ctx, const std::optional<Size>& size) {
  if (!size) return std::nullopt;
  return size->is_number() ? Value(ir::AttrValue(size->number())) : from_dim(dim_of(ctx, *size));
}
Value truth_of_signs(const std::optional<Size>& size, ir::Signs which) {
  if (!size) return std::nullopt;
  const ir::Signs possible = signs(*size);
  if ((possible & ~which) == 0) return truth(true);
  return (possible & which) == 0 ? truth(false) : Value();
}

std::optional<Size> size_arithmetic(Function op, const Size& x, const Size& y) {
  const bool divides = op == Function::kOver || op == Function::kRest;
  if (divides && (y.is_number() ? y.number() <= 0 : signs(y) != ir::kPositive)) return std::nullopt;
  switch (op) {
    case Function::kPlus: return sum(x, y);
    case Function::kMinus: return sum(x, y, -1);
    case Function::kTimes: return product(x, y);
    case Function::kOver: return exact_quotient(x, y);
    default: break;
  }
  if ((signs(x) & ir::kNegative) != 0) return std::nullopt;
  const auto whole = product(x.floor_div(y), y);
  return whole ? sum(x, *whole, -1) : std::nullopt;
}

std::optional<bool> equal_shapes(const ir::Context& ctx, const ir::Shape& a, const ir::Shape& b) {
  if (a.size() != b.size()) return false;
  bool certain = true;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].same(b[i])) continue;
    if (a[i].is_static() && b[i].is_static()) return false;
    if (!a[i].is_unknown() && !b[i].is_unknown())
      if (const auto apart = sum(size_of(ctx, a[i]), size_of(ctx, b[i]), -1))
        if ((signs(*apart) & ir::kZero) == 0) return false;
    certain = false;
  }
  return certain ? std::optional(true) : std::nullopt;
}

}  // namespace isomer::rewrite
