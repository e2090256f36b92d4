#include "rewrite/rule_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/size_case.h"
#include "ir/size_formula.h"
#include "ir/size_sums.h"

namespace isomer::rewrite {

using ir::Size;

namespace {
std::optional<bool> decide(const Size& size, ir::Signs which) { return ir::SizeFacts().decide(size, which); }
}  // namespace

std::optional<double> extreme_of(ir::DType dtype, bool highest) {
  if (ir::is_float(dtype)) return highest ? HUGE_VAL : -HUGE_VAL;
  if (dtype == ir::DType::kBool) return highest ? 1 : 0;
  if (ir::value_bits(dtype) > std::numeric_limits<double>::digits) return std::nullopt;
  const double beyond = std::ldexp(1, ir::value_bits(dtype));
  return highest ? beyond - 1 : ir::has_sign(dtype) ? -beyond : 0;
}

std::optional<ir::Shape> as_list(const Value& v) {
  if (const auto* l = held_as<Ints>(v)) {
    ir::Shape out;
    for (int64_t i : *l) {
      if (i < 0) return std::nullopt;
      out.emplace_back(i);
    }
    return out;
  }
  if (const auto* s = held_as<ir::Shape>(v)) {
    if (std::any_of(s->begin(), s->end(), [](ir::Dim d) { return d.is_unknown(); })) return std::nullopt;
    return *s;
  }
  return std::nullopt;
}
std::optional<Ints> as_ints(const Value& v) {
  if (const auto* l = held_as<Ints>(v)) return *l;
  const std::optional<ir::Shape> list = as_list(v);
  if (!list || !ir::is_static(*list)) return std::nullopt;
  return ir::sizes(*list);
}
Value from_list(ir::Shape list) {
  if (ir::is_static(list)) return ir::AttrValue(ir::sizes(list));
  return ir::AttrValue(std::move(list));
}

std::optional<Size> as_size(const ir::Context& ctx, const Value& v) {
  if (const auto i = as_int(v)) return Size(*i);
  if (const auto* size = v ? std::get_if<Size>(&*v) : nullptr) return *size;
  const auto* list = held_as<ir::Shape>(v);
  if (list == nullptr || list->size() != 1 || (*list)[0].is_unknown()) return std::nullopt;
  return size_of(ctx, (*list)[0]);
}
Value from_size(const std::optional<Size>& size) {
  if (!size) return std::nullopt;
  return size->is_number() ? Value(ir::AttrValue(size->number())) : Value(*size);
}
std::optional<ir::Dim> as_dim(ir::Context& ctx, const Value& v) {
  const std::optional<Size> size = as_size(ctx, v);
  const ir::Dim dim = size ? dim_of(ctx, *size) : ir::Dim::unknown();
  return !dim.is_unknown() && size_of(ctx, dim).identical(*size) ? std::optional(dim) : std::nullopt;
}
Value from_dim(const ir::Context& ctx, ir::Dim d) {
  return d.is_unknown() ? Value() : from_size(size_of(ctx, d));
}
Value truth_of_signs(const std::optional<Size>& size, ir::Signs which) {
  return size ? truth(decide(*size, which)) : Value();
}

std::optional<Size> size_arithmetic(Function op, const Size& x, const Size& y) {
  const bool divides = op == Function::kOver || op == Function::kRest;
  if (divides && (y.is_number() ? y.number() <= 0 : decide(y, ir::kPositive) != true)) return std::nullopt;
  switch (op) {
    case Function::kPlus: return sum(x, y);
    case Function::kMinus: return sum(x, y, -1);
    case Function::kTimes: return product(x, y);
    case Function::kOver: return exact_quotient(x, y);
    default: break;
  }
  if (decide(x, ir::kNegative) != false) return std::nullopt;
  const auto quotient = floor_quotient(x, y);
  const auto whole = quotient ? product(*quotient, y) : std::nullopt;
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
        if (decide(*apart, ir::kZero) == false) return false;
    certain = false;
  }
  return certain ? std::optional(true) : std::nullopt;
}

}  // namespace isomer::rewrite
