// Functions of several steps (softplus, gelu, mish, elu: what one pointwise operator computes of an element)
// as one, rounded once. Kernels of runtimes may keep digits that the steps lose: log(1 + exp(-80)) is 0 step
// by step, and 1.8e-35. A program that is right only where they are lost, or only where they are kept, is
// seen where both are tried.
//
// The steps are made in sums of two doubles that are not added up (Dekker, "A floating-point technique for
// extending the available precision", 1971; Knuth, The Art of Computer Programming 2, section 4.2.2). There
// both parts have all their digits, and exponents, error functions and hyperbolic tangents are worked out to
// as many; here these have those of a double, said as 1 and what they are off it where that is small (expm1,
// erfc), since what cancels within such functions is 1.
#pragma once

#include <cstdint>
#include <limits>

#include "eval/float_domain.h"
#include "ir/dtype.h"
#include "ir/graph.h"
#include "ir/scalar_table.h"
#include "meaning/nest.h"

namespace isomer::eval {

/// A number: the sum of both, of which the second is below the last digit of the first.
struct DoublePair {
  double high = 0, low = 0;
};

class PairDomain {
 public:
  using Number = DoublePair;

  Number constant(double value) const { return {value, 0}; }
  Number from_integer(int64_t value) const { return {static_cast<double>(value), 0}; }
  int64_t to_integer(Number a) const { return FloatDomain<DoublePrecision>().to_integer(a.high); }
  Number add(Number a, Number b) const;
  Number sub(Number a, Number b) const;
  Number mul(Number a, Number b) const;
  Number max(Number a, Number b) const { return is_nan(a) || less(b, a) ? a : b; }
  Number min(Number a, Number b) const { return is_nan(a) || less(a, b) ? a : b; }
  Number unary(ir::ScalarOp op, Number a) const;
  Number binary(ir::ScalarOp op, Number a, Number b) const;
  bool less(Number a, Number b) const { return a.high < b.high || (a.high == b.high && a.low < b.low); }
  bool equal(Number a, Number b) const { return a.high == b.high && a.low == b.low; }
  bool is_nan(Number a) const { return a.high != a.high; }
  bool is_inf(Number a) const {
    return a.high == std::numeric_limits<double>::infinity() ||
           a.high == -std::numeric_limits<double>::infinity();
  }
  Number cast(ir::DType to, Number a) const;
};

/// The domain D, in which what computes such a function of each element does so at once.
template <class D>
class WithWholeFunctions : public D {
 public:
  static constexpr bool kWholeFunctions = true;
};
using WholeFloat64 = WithWholeFunctions<Float64>;
using WholeFloat32 = WithWholeFunctions<Float32>;

/// Whether the nest computes one: several steps, nothing summed up, at least one of them a function that
/// libraries approximate, and none that jumps (its operand is rounded before).
bool is_whole_function(const meaning::CompiledNest& nest);
/// Whether some operator of the program does, what regions hold aside.
bool has_whole_functions(const ir::Graph& graph);

}  // namespace isomer::eval
