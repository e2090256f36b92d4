// What is known of each scalar operator, a row each: sorts, value in float64, weight in flops, what a proof
// takes it for, what Mirage's searches make of it. Everything that evaluates, prices, proves or abstracts a
// scalar expression reads it here; an operator that is added while the program runs needs a row and nothing
// else. One table for all uses is a habit of Halide's and XLA's operator lists.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "ir/range_kind.h"
#include "ir/scalar_expr.h"

namespace isomer::ir {

/// Which sorts an operator takes and gives.
enum class Sorts : uint8_t {
  kLeaf,       ///< no operands; the instruction says its sort
  kSame,       ///< numbers or integers, all of one sort, and the result
  kNumbers,    ///< numbers only
  kTest,       ///< a number to an integer 0 or 1
  kCompare,    ///< two of one sort to an integer 0 or 1
  kIntegers,   ///< integers only
  kSelect,     ///< an integer and two of one sort
  kToNumber,   ///< an integer to a number
  kToInteger,  ///< a number to an integer
};

/// What a floating-point unit makes of the operator.
enum class Rounding : uint8_t {
  kExact,         ///< one of the operands, or a number that the type holds: nothing is rounded
  kRounds,        ///< the nearest number of the type to the exact value (IEEE 754)
  kApproximates,  ///< as a library has it: another one may differ
};

struct ScalarRow {
  std::string name;
  int operands = 0;  ///< 0 to 3
  Sorts sorts = Sorts::kNumbers;
  /// The value in double precision; of_one or of_two is there for what takes numbers only or is of one sort
  /// (evaluators know leaves, casts, comparisons and the choice themselves).
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
  double flops = 1;  ///< of one application (cost/flops.h)
  /// What the evaluation over a prime field replaces by an arbitrary function, order or rounding, as verdicts
  /// say it; empty where field arithmetic is exact, or never meets it.
  std::string arbitrary = {};
  /// Why it is outside the fragment in which Mirage's test is a proof (OSDI 2025, section 5: LAX programs);
  /// empty where it is inside.
  std::string outside_lax = {};
  /// In abstract expressions (Mirage, section 4.3); empty: a symbol of its own, without axioms.
  std::string symbol = {};
  RangeKind range = RangeKind::kUnknown;
  Rounding rounding = Rounding::kApproximates;
  /// The result hardly moves where the operands hardly do (but beside a division by zero, say).
  bool continuous = false;
  /// Its two operands may change places.
  bool commutes = false;
  /// Of integers: what it is modulo a power of two follows from what its operands are, wrapping or not.
  bool modular = false;
};

/// Values of kMax and kMin: NaN wins, as in ONNX.
inline double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }

/// REQUIREs an operator of the table.
const ScalarRow& row(ScalarOp op);
/// How many operators there are; they are numbered from 0.
int scalar_op_count();

/// A further operator of numbers, for as long as the program runs. Call it before anything is evaluated: the
/// table is read without a lock. REQUIREs a name of its own, one or two operands with their value, and room
/// for it (64 in all).
ScalarOp add_scalar_op(ScalarRow row);

}  // namespace isomer::ir
