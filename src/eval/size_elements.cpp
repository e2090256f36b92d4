#include "eval/size_elements.h"

#include <cmath>

#include "eval/float_domain.h"
#include "eval/integer_arithmetic.h"
#include "ir/constant_data.h"
#include "ir/size_case.h"
#include "ir/size_sums.h"

namespace isomer::eval {
namespace {

using ir::ScalarOp;
using ir::Size;

constexpr size_t kHeaviest = 100;  // of a formula that is still followed

std::optional<bool> decide(const Size& size, ir::Signs which) { return ir::SizeFacts().decide(size, which); }
bool never_negative(const Size& size) { return decide(size, ir::kNegative) == false; }
bool never_zero(const Size& size) { return decide(size, ir::kZero) == false; }

SizeElement followed(const std::optional<Size>& size) {
  return size && weight(*size, kHeaviest) < kHeaviest ? SizeElement(*size) : SizeElement();
}

bool identical(const SizeElement& a, const SizeElement& b) {
  if (a.index() != b.index()) return false;
  if (const auto* size = std::get_if<Size>(&a)) return size->identical(std::get<Size>(b));
  return !is_certain(a) || std::get<double>(a) == std::get<double>(b);
}

/// Whether a size has one of these signs; not certain where it may have others as well.
SizeElement truth(const std::optional<Size>& size, ir::Signs which) {
  const std::optional<bool> answer = size ? decide(*size, which) : std::nullopt;
  return answer ? whole(*answer ? 1 : 0) : SizeElement();
}

/// Rounded towards zero, as integers are divided.
SizeElement quotient(const Size& a, const Size& b) {
  if (!b.is_number()) return a.is_number() ? SizeElement() : followed(exact_quotient(a, b));
  if (b.number() <= 0) return {};
  if (a.is_number()) return whole(a.number() / b.number());
  if (const auto exact = exact_quotient(a, b)) return followed(exact);
  return never_negative(a) ? followed(floor_quotient(a, b)) : SizeElement();
}

SizeElement rest(ScalarOp op, const Size& a, const Size& b) {
  if (!b.is_number() || b.number() <= 0) return {};
  if (a.is_number()) return whole(apply_integer(op, a.number(), b.number()));
  const auto quotient = never_negative(a) ? floor_quotient(a, b) : std::nullopt;
  return quotient ? followed(sum(a, *quotient, -b.number())) : SizeElement();
}

SizeElement extreme(ScalarOp op, const Size& a, const Size& b) {
  return followed(op == ScalarOp::kMin ? smaller(a, b) : larger(a, b));
}

SizeElement integer(ScalarOp op, const Size& a, const Size& b) {
  switch (op) {
    case ScalarOp::kAdd: return followed(sum(a, b));
    case ScalarOp::kSub: return followed(sum(a, b, -1));
    case ScalarOp::kMul: return followed(product(a, b));
    case ScalarOp::kDiv: return quotient(a, b);
    case ScalarOp::kNeg: return followed(sum(0, a, -1));
    case ScalarOp::kLess: return truth(sum(a, b, -1), ir::kNegative);
    case ScalarOp::kLessEqual: return truth(sum(a, b, -1), ir::kNegative | ir::kZero);
    case ScalarOp::kEqual: return truth(sum(a, b, -1), ir::kZero);
    case ScalarOp::kMax:
    case ScalarOp::kMin: return extreme(op, a, b);
    case ScalarOp::kMod:
    case ScalarOp::kFMod: return rest(op, a, b);
    case ScalarOp::kNot: return truth(a, ir::kZero);
    default: break;
  }
  // The rest only on numbers.
  if (!a.is_number() || !b.is_number()) return {};
  return whole(apply_integer(op, a.number(), b.number()));
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

/// Of a size that is the smaller of another size and a number: these.
struct Smaller {
  Size size;
  int64_t number = 0;
};
std::optional<Smaller> as_minimum(const Size& size) {
  for (const Size::Term& t : size.terms()) {
    if (t.factor <= 0 || t.atoms.size() != 1 || t.atoms[0]->kind != Size::Atom::Kind::kMin) continue;
    const Size::Atom& least = *t.atoms[0];
    const bool first = least.a.is_number();
    const auto others = sum(size, Size::of(least), -t.factor);
    if (!others || (!first && !least.b.is_number())) continue;
    const auto number = sum(*others, first ? least.a : least.b, t.factor);
    const auto from = sum(*others, first ? least.b : least.a, t.factor);
    if (number && from && number->is_number()) return Smaller{*from, number->number()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> as_number(const SizeElement& e) {
  const auto* size = std::get_if<Size>(&e);
  return size != nullptr && size->is_number() ? std::optional(size->number()) : std::nullopt;
}

SizeElement size_element(const ir::Context& ctx, ir::Dim dim) {
  return dim.is_unknown() ? SizeElement() : SizeElement(size_of(ctx, dim));
}

SizeElement apply_scalar(ScalarOp op, ir::DType dtype, const SizeElement& a, const SizeElement& b,
                         const SizeElement& c) {
  if (op == ScalarOp::kSelect) {
    if (const auto condition = as_number(a)) return *condition != 0 ? b : c;
    return identical(b, c) ? b : SizeElement();
  }
  if (op == ScalarOp::kCast) return rounded(dtype, a);
  const bool two = ir::operand_count(op) > 1;
  if (!is_certain(a) || (two && (!is_certain(b) || a.index() != b.index()))) return {};
  if (op == ScalarOp::kToNumber) {
    const auto number = as_number(a);
    return number ? SizeElement(static_cast<double>(*number)) : SizeElement();
  }
  if (const auto* x = std::get_if<double>(&a)) return real(op, *x, two ? std::get<double>(b) : 0);
  return integer(op, std::get<Size>(a), two ? std::get<Size>(b) : Size(0));
}

SizeElement rounded(ir::DType dtype, const SizeElement& e) {
  if (const auto* number = std::get_if<double>(&e))
    return ir::is_float(dtype) ? ir::round_to(dtype, *number) : e;
  const auto* size = std::get_if<Size>(&e);
  if (size == nullptr || !ir::is_integer(dtype)) return e;
  if (size->is_number()) return whole(ir::wrap_to(dtype, size->number()));
  if (dtype == ir::DType::kBool) return never_zero(*size) ? whole(1) : SizeElement();
  // No dimension is so large that 31 bits do not hold its size.
  return dtype == ir::DType::kI64 || dtype == ir::DType::kI32 ? e : SizeElement();
}

ir::Dim broadcast_dim(const ir::Context& ctx, ir::Dim a, ir::Dim b) {
  if (b == ir::Dim(1)) return a;
  if (a == ir::Dim(1) || a.same(b)) return b;
  if (a.is_static()) return a;  // more than 1: the other is the same, or 1
  if (b.is_static() || a.is_unknown() || b.is_unknown()) return b.is_static() ? b : ir::Dim::unknown();
  const auto is_part = [&](const Size& part, const Size& whole) {
    const std::optional<Smaller> smaller = as_minimum(part);
    return smaller && smaller->number > 1 && smaller->size.identical(whole);
  };
  const Size x = size_of(ctx, a), y = size_of(ctx, b);
  if (is_part(x, y)) return b;
  return is_part(y, x) ? a : ir::Dim::unknown();
}

}  // namespace isomer::eval
