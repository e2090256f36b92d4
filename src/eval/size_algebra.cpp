#include "eval/size_algebra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "eval/float64.h"
#include "eval/integer_arithmetic.h"
#include "ir/constant_data.h"
#include "ir/size_formula.h"

namespace isomer::eval {
namespace {

using ir::ScalarOp;

std::optional<SizeValue> scaled(const SizeValue& a, int64_t by) {
  SizeValue out = a;
  if (__builtin_mul_overflow(a.factor, by, &out.factor) || __builtin_mul_overflow(a.number, by, &out.number))
    return std::nullopt;
  if (out.factor == 0) out.symbol = {};
  return out;
}

/// a + b, of which at most one name occurs.
std::optional<SizeValue> linear_sum(const SizeValue& a, const SizeValue& b) {
  if (a.symbolic() && b.symbolic() && a.symbol != b.symbol) return std::nullopt;
  SizeValue out{0, a.symbolic() ? a.symbol : b.symbol, 0};
  if (__builtin_add_overflow(a.factor, b.factor, &out.factor) ||
      __builtin_add_overflow(a.number, b.number, &out.number))
    return std::nullopt;
  if (out.factor == 0) out.symbol = {};
  return out;
}

std::optional<SizeValue> difference(const SizeValue& a, const SizeValue& b) {
  const auto minus = scaled(b, -1);
  return minus ? linear_sum(a, *minus) : std::nullopt;
}

bool never_negative(const SizeValue& a) { return a.factor >= 0 && a.number >= 0; }
bool always_positive(const SizeValue& a) { return a.factor >= 0 && a.number > 0; }
bool never_positive(const SizeValue& a) { return a.factor <= 0 && a.number <= 0; }

/// Whether the size is 0 for no value of its name.
bool never_zero(const SizeValue& a) {
  if (!a.symbolic()) return a.number != 0;
  if (a.factor == -1) return a.number < 0;
  return a.number % a.factor != 0 || a.number / a.factor > 0;
}

SizeElement truth(bool yes, bool no) {
  if (yes) return whole(1);
  return no ? whole(0) : SizeElement();
}

SizeElement less(const std::optional<SizeValue>& from_a_to_b) {
  if (!from_a_to_b) return {};
  return truth(always_positive(*from_a_to_b), never_positive(*from_a_to_b));
}

/// Operations on floats that runtimes compute to the same bits.
SizeElement real(ScalarOp op, double a, double b) {
  const Float64 domain;
  switch (op) {
    case ScalarOp::kNeg:
    case ScalarOp::kAbs:
    case ScalarOp::kSqrt:
    case ScalarOp::kFloor:
    case ScalarOp::kCeil:
    case ScalarOp::kRound: return domain.unary(op, a);
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
    case ScalarOp::kDiv:
    case ScalarOp::kMax:
    case ScalarOp::kMin: return domain.binary(op, a, b);
    case ScalarOp::kLess: return whole(a < b);
    case ScalarOp::kLessEqual: return whole(a <= b);
    case ScalarOp::kEqual: return whole(a == b);
    case ScalarOp::kToInteger: {
      constexpr double kExact = 0x1p53;
      return std::abs(a) < kExact ? whole(domain.to_integer(a)) : SizeElement();
    }
    default: return {};
  }
}

}  // namespace

const int64_t* as_number(const SizeElement& e) {
  const auto* value = std::get_if<SizeValue>(&e);
  return value && !value->symbolic() ? &value->number : nullptr;
}

SizeElement SizeAlgebra::size(ir::Dim dim) const {
  if (dim.is_unknown()) return {};
  if (dim.is_static()) return whole(dim.size());
  const auto it = meaning_.find(dim.symbol().v);
  return it == meaning_.end() ? SizeValue{1, dim.symbol(), 0} : it->second;
}

ir::Dim SizeAlgebra::dim(const SizeValue& size) {
  if (!size.symbolic()) return size.number < 0 ? ir::Dim::unknown() : ir::Dim(size.number);
  if (size.factor == 1 && size.number == 0) return ir::Dim::symbol(size.symbol);
  const ir::Dim name = ir::named_size(ctx_, text(size));
  meaning_.emplace(name.symbol().v, size);
  return name;
}

std::string SizeAlgebra::text(const SizeValue& size) const {
  if (!size.symbolic()) return std::to_string(size.number);
  const std::string& name = ctx_.get(size.symbol);
  if (size.number == 0) return size.factor == 1 ? name : fmt::format("{}*{}", size.factor, name);
  return size.factor == 1 ? fmt::format("({}{:+})", name, size.number)
                          : fmt::format("({}*{}{:+})", size.factor, name, size.number);
}

SizeElement SizeAlgebra::named(std::string formula) { return size(ir::named_size(ctx_, std::move(formula))); }

SizeElement SizeAlgebra::sum(const SizeValue& a, const SizeValue& b) {
  if (const auto out = linear_sum(a, b)) return *out;
  if (!a.symbolic() || !b.symbolic() || a.symbol == b.symbol || !never_negative(a) || !never_negative(b))
    return {};
  const auto [first, second] = std::minmax({text(a), text(b)});
  return named(fmt::format("({}+{})", first, second));
}

SizeElement SizeAlgebra::product(const SizeValue& a, const SizeValue& b) {
  if (!a.symbolic() || !b.symbolic()) {
    const auto out = a.symbolic() ? scaled(a, b.number) : scaled(b, a.number);
    return out ? SizeElement(*out) : SizeElement();
  }
  int64_t factor = 0;
  if (a.number != 0 || b.number != 0 || !never_negative(a) || !never_negative(b) ||
      __builtin_mul_overflow(a.factor, b.factor, &factor))
    return {};
  const auto [first, second] = std::minmax({ctx_.get(a.symbol), ctx_.get(b.symbol)});
  const auto both = std::get<SizeValue>(named(fmt::format("{}*{}", first, second)));
  const auto out = scaled(both, factor);
  return out ? SizeElement(*out) : SizeElement();
}

SizeElement SizeAlgebra::quotient(const SizeValue& a, const SizeValue& b) {
  if (b.symbolic() || b.number <= 0) return {};
  if (!a.symbolic()) return whole(a.number / b.number);
  if (a.factor % b.number == 0 && a.number % b.number == 0)
    return SizeValue{a.factor / b.number, a.symbol, a.number / b.number};
  return never_negative(a) ? named(fmt::format("({}/{})", text(a), b.number)) : SizeElement();
}

SizeElement SizeAlgebra::extreme(ScalarOp op, const SizeValue& a, const SizeValue& b) {
  const auto apart = difference(a, b);
  if (!apart) return {};
  const bool larger = never_negative(*apart);
  if (larger || never_positive(*apart)) return larger == (op == ScalarOp::kMax) ? a : b;
  const SizeValue& size = a.symbolic() ? a : b;
  const SizeValue& number = a.symbolic() ? b : a;
  if (op != ScalarOp::kMin || number.symbolic() || number.number < 0 || !never_negative(size)) return {};
  const ir::Dim name = ir::named_size(ctx_, fmt::format("min({},{})", text(size), number.number));
  minima_.emplace(name.symbol().v, std::pair(size, number.number));
  return SizeValue{1, name.symbol(), 0};
}

bool SizeAlgebra::same_if_broadcast(ir::Dim a, ir::Dim b) const {
  if (a.same(b)) return true;
  const auto is_part = [&](ir::Dim part, ir::Dim whole) {
    if (!part.is_symbol() || whole.is_unknown()) return false;
    const auto it = minima_.find(part.symbol().v);
    return it != minima_.end() && it->second.second > 1 && SizeElement(it->second.first) == size(whole);
  };
  return is_part(a, b) || is_part(b, a);
}

SizeElement SizeAlgebra::integer(ScalarOp op, const SizeValue& a, const SizeValue& b) {
  switch (op) {
    case ScalarOp::kAdd: return sum(a, b);
    case ScalarOp::kSub: {
      const auto minus = scaled(b, -1);
      return minus ? sum(a, *minus) : SizeElement();
    }
    case ScalarOp::kMul: return product(a, b);
    case ScalarOp::kDiv: return quotient(a, b);
    case ScalarOp::kNeg: return product(a, {0, {}, -1});
    case ScalarOp::kLess: return less(difference(b, a));
    case ScalarOp::kLessEqual: {
      const SizeElement other = less(difference(a, b));
      return is_certain(other) ? whole(*as_number(other) == 0) : SizeElement();
    }
    case ScalarOp::kEqual: {
      const auto apart = difference(a, b);
      return apart ? truth(*apart == SizeValue{}, never_zero(*apart)) : SizeElement();
    }
    case ScalarOp::kMax:
    case ScalarOp::kMin: return extreme(op, a, b);
    case ScalarOp::kMod:
    case ScalarOp::kFMod:
      if (b.symbolic() || b.number <= 0) return {};
      if (a.symbolic())
        return a.factor % b.number == 0 && never_negative(a) ? whole(a.number % b.number) : SizeElement();
      break;
    default: break;
  }
  // The rest only on numbers; a condition, on what is certainly not 0.
  if (op == ScalarOp::kNot && a.symbolic()) return never_zero(a) ? whole(0) : SizeElement();
  if (a.symbolic() || b.symbolic()) return {};
  return whole(apply_integer(op, a.number, b.number));
}

SizeElement SizeAlgebra::apply(ScalarOp op, ir::DType dtype, const SizeElement& a, const SizeElement& b,
                               const SizeElement& c) {
  if (op == ScalarOp::kSelect) {
    if (const int64_t* condition = as_number(a)) return *condition != 0 ? b : c;
    return b == c ? b : SizeElement();
  }
  if (op == ScalarOp::kCast) return rounded(dtype, a);
  if (!is_certain(a) || (!is_certain(b) && ir::operand_count(op) > 1)) return {};
  if (ir::operand_count(op) > 1 && a.index() != b.index()) return {};
  if (op == ScalarOp::kToNumber)
    return as_number(a) ? SizeElement(static_cast<double>(*as_number(a))) : SizeElement();
  if (const auto* x = std::get_if<double>(&a)) {
    const auto* y = std::get_if<double>(&b);
    return real(op, *x, y ? *y : 0);
  }
  const auto* y = std::get_if<SizeValue>(&b);
  return integer(op, std::get<SizeValue>(a), y ? *y : SizeValue());
}

SizeElement SizeAlgebra::rounded(ir::DType dtype, const SizeElement& e) {
  if (const auto* number = std::get_if<double>(&e))
    return ir::is_float(dtype) ? ir::round_to(dtype, *number) : e;
  const auto* size = std::get_if<SizeValue>(&e);
  if (!size || !ir::is_integer(dtype)) return e;
  if (!size->symbolic()) return whole(ir::wrap_to(dtype, size->number));
  if (dtype == ir::DType::kBool) return never_zero(*size) ? whole(1) : SizeElement();
  // No dimension is so large that 31 bits do not hold its size.
  return dtype == ir::DType::kI64 || dtype == ir::DType::kI32 ? e : SizeElement();
}

}  // namespace isomer::eval
