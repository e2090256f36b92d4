// Single precision as value domain: every scalar step rounded, sums in the order of the loops, as a plain
// implementation would. What "loses accuracy" is measured in; numbers are held as doubles, which all float32
// are.
#pragma once

#include "eval/float64.h"

namespace isomer::eval {

class Float32 {
 public:
  using Number = double;

  static double round(double a) { return static_cast<float>(a); }

  double constant(double value) const { return round(value); }
  double from_integer(int64_t value) const { return static_cast<float>(value); }
  int64_t to_integer(double a) const { return wide_.to_integer(a); }
  // Doubles have more than twice the digits: rounding twice is rounding once for these and square roots.
  double add(double a, double b) const { return round(a + b); }
  double sub(double a, double b) const { return round(a - b); }
  double mul(double a, double b) const { return round(a * b); }
  double max(double a, double b) const { return wide_.max(a, b); }
  double min(double a, double b) const { return wide_.min(a, b); }
  double unary(ir::ScalarOp op, double a) const { return round(wide_.unary(op, a)); }
  double binary(ir::ScalarOp op, double a, double b) const { return round(wide_.binary(op, a, b)); }
  bool less(double a, double b) const { return a < b; }
  bool equal(double a, double b) const { return a == b; }
  bool is_nan(double a) const { return std::isnan(a); }
  bool is_inf(double a) const { return std::isinf(a); }
  double cast(ir::DType to, double a) const { return round(wide_.cast(to, a)); }

  /// As Float64 has them, which counts what vanishes.
  mutable uint64_t undefined = 0;
  uint64_t vanished = 0;
  static constexpr bool kCastsHaveRange = true;

 private:
  Float64 wide_;
};

}  // namespace isomer::eval
