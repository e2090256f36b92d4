// Floating point as value domain: double precision, which "tested on floats" and constant folding compute in,
// and single precision, which "loses accuracy" is measured in: there every scalar step is rounded, sums in
// the order of the loops, as a plain implementation would.
#pragma once

#include <cmath>
#include <cstdint>

#include "ir/dtype.h"
#include "ir/scalar_table.h"

namespace isomer::eval {

struct DoublePrecision {
  static double round(double a) { return a; }
  static double round(int64_t a) { return static_cast<double>(a); }
};
/// Numbers are held as doubles, which all float32 are. These have more than twice the digits: rounding twice
/// is rounding once for sums, products, quotients and square roots.
struct SinglePrecision {
  static double round(double a) { return static_cast<float>(a); }
  static double round(int64_t a) { return static_cast<float>(a); }  // at once: not through a double
};

template <class Precision>
class FloatDomain {
 public:
  using Number = double;

  double constant(double value) const { return Precision::round(nudged == 0 ? value : nudge(value)); }
  double from_integer(int64_t value) const { return Precision::round(value); }
  /// Towards zero; saturates; NaN gives 0.
  int64_t to_integer(double a) const;
  double add(double a, double b) const { return Precision::round(a + b); }
  double sub(double a, double b) const { return Precision::round(a - b); }
  double mul(double a, double b) const { return Precision::round(a * b); }
  double max(double a, double b) const { return ir::larger(a, b); }
  double min(double a, double b) const { return ir::smaller(a, b); }
  double unary(ir::ScalarOp op, double a) const;
  double binary(ir::ScalarOp op, double a, double b) const;
  bool less(double a, double b) const { return a < b; }
  bool equal(double a, double b) const { return a == b; }
  bool is_nan(double a) const { return std::isnan(a); }
  bool is_inf(double a) const { return std::isinf(a); }
  double cast(ir::DType to, double a) const;

  /// How many elements had no value so far: integers divided by zero, casts out of the integer's range.
  mutable uint64_t undefined = 0;
  /// How many exponentials were too small to keep their digits in what is made of them.
  mutable uint64_t vanished = 0;
  /// If not 0: constants are moved by one unit in a double's last place, this way or that.
  uint64_t nudged = 0;
  static constexpr bool kCastsHaveRange = true;

 private:
  double nudge(double value) const;
};

extern template class FloatDomain<DoublePrecision>;
extern template class FloatDomain<SinglePrecision>;

using Float64 = FloatDomain<DoublePrecision>;
using Float32 = FloatDomain<SinglePrecision>;

}  // namespace isomer::eval
