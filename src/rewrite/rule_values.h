// Values of the expressions in rules (rule_expr.h): numbers, texts, lists, and sizes that are only named. A
// condition over named sizes has a value where it is the same at every size, as polynomials and what names
// can be decide (ir/size.h, ir/size_case.h); else it does not hold. Numbers are asked first everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "ir/context.h"
#include "ir/size_case.h"
#include "rewrite/rule_function.h"

namespace isomer::rewrite {

/// A size that is only named is itself: as a dimension a long formula would be a name that stands for any
/// size (ir/size_formula.h).
using Value = std::optional<std::variant<ir::AttrValue, ir::Size>>;
using Ints = std::vector<int64_t>;

/// What a value holds, if it is of that kind.
template <class T>
const T* held_as(const Value& v) {
  const auto* attr = v ? std::get_if<ir::AttrValue>(&*v) : nullptr;
  return attr != nullptr ? std::get_if<T>(attr) : nullptr;
}

/// The largest or smallest number of a type; of floats an infinity. Nothing of 64-bit integers: numbers that
/// tensors hold throughout are doubles here, which are not exact near these ends.
std::optional<double> extreme_of(ir::DType dtype, bool highest);

/// Constants of formulas are, which were rounded to float32 some time.
inline bool are_near(double x, double y) { return std::abs(x - y) <= 1e-6 * std::abs(y); }

/// < <= > >= of numbers; of == and != whether they are equal.
template <class T>
bool compares(Function f, T x, T y) {
  switch (f) {
    case Function::kLess: return x < y;
    case Function::kAtMost: return x <= y;
    case Function::kGreater: return x > y;
    case Function::kAtLeast: return x >= y;
    default: return x == y;
  }
}

inline Value truth(bool b) { return ir::AttrValue(static_cast<int64_t>(b)); }
/// What is not decided has no value.
inline Value truth(std::optional<bool> b) { return b ? truth(*b) : Value(); }
inline std::optional<int64_t> as_int(const Value& v) {
  const auto* i = held_as<int64_t>(v);
  return i != nullptr ? std::optional(*i) : std::nullopt;
}
inline std::optional<double> as_float(const Value& v) {
  if (const auto i = as_int(v)) return static_cast<double>(*i);
  const auto* d = held_as<double>(v);
  return d != nullptr ? std::optional(*d) : std::nullopt;
}
inline Value of_integer(std::optional<int64_t> i) { return i ? Value(ir::AttrValue(*i)) : Value(); }
/// Lists are computed with as shapes: their elements may be symbols. Unknown dimensions have no value.
std::optional<ir::Shape> as_list(const Value& v);
std::optional<Ints> as_ints(const Value& v);
Value from_list(ir::Shape list);

/// A number or a named size, as which lists of one named dimension count: attributes hold them so.
std::optional<ir::Size> as_size(const ir::Context& ctx, const Value& v);
Value from_size(const std::optional<ir::Size>& size);
/// As a dimension, of what is a size that can be spelled.
std::optional<ir::Dim> as_dim(ir::Context& ctx, const Value& v);
Value from_dim(const ir::Context& ctx, ir::Dim d);
/// Whether a size has one of these signs at every size of what is named; no value where that differs.
Value truth_of_signs(const std::optional<ir::Size>& size, ir::Signs which);
/// + - * / % of sizes of which one is only named: a value where it is one at every size.
std::optional<ir::Size> size_arithmetic(Function op, const ir::Size& x, const ir::Size& y);
/// Whether all dimensions are the same at every size, or some are not at any.
std::optional<bool> equal_shapes(const ir::Context& ctx, const ir::Shape& a, const ir::Shape& b);

}  // namespace isomer::rewrite
