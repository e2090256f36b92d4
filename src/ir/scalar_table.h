// What is known of each scalar operator, a row each: sorts, value in float64, weight in flops, what a proof
// takes it for, what Mirage's searches make of it, what machine code computes it with. Everything that
// evaluates, prices, proves, abstracts or compiles a scalar expression reads it here; an operator that is
// added while the program runs needs a row and nothing else. One table for all uses is a habit of Halide's
// and XLA's operator lists.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "ir/range_kind.h"
#include "ir/scalar_expr.h"
#include "support/stated.h"

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

enum class CodeKind : uint8_t {
  kNone,       ///< nothing: programs that hold it are not compiled, which is said
  kGenerator,  ///< what the code generator writes for this operator (codegen/llvm_scalar.cpp)
  kLibrary,  ///< what the C library has under the row's name (of some there are lanes: codegen/llvm_math.cpp)
  kExpression,  ///< an expression of other operators
};

/// What machine code computes an operator of numbers with.
class CodeForm {
 public:
  static CodeForm none() { return CodeForm(CodeKind::kNone); }
  static CodeForm generator() { return CodeForm(CodeKind::kGenerator); }
  /// double NAME(double, ...) and float NAMEf(float, ...).
  static CodeForm library() { return CodeForm(CodeKind::kLibrary); }
  /// The operands are its reads.
  static CodeForm expression(ScalarExpr of_reads) {
    CodeForm out(CodeKind::kExpression);
    out.expression_ = std::move(of_reads);
    return out;
  }

  CodeKind kind() const { return kind_; }
  const ScalarExpr& expression() const { return expression_; }

 private:
  explicit CodeForm(CodeKind kind) : kind_(kind) {}
  CodeKind kind_;
  ScalarExpr expression_;
};

/// What it does in the field, and to programs of LAX, is said in so many words where nothing is to be said.
inline constexpr const char* kExactInField = "";
inline constexpr const char* kInsideLax = "";

/// What is left out of a row claims nothing; what would claim something has to be said.
struct ScalarRow {
  std::string name;
  int operands = 0;  ///< 0 to 3
  Sorts sorts = Sorts::kNumbers;
  /// The value in double precision; of_one or of_two is there for what takes numbers only or is of one sort
  /// (evaluators know leaves, casts, comparisons and the choice themselves).
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
  Stated<double> flops;  ///< of one application (cost/flops.h)
  /// What the evaluation over a prime field replaces by an arbitrary function, order or rounding, as verdicts
  /// say it; kExactInField where field arithmetic is exact, or never meets it.
  Stated<std::string> arbitrary;
  /// Why it is outside the fragment in which Mirage's test is a proof (OSDI 2025, section 5: LAX programs);
  /// kInsideLax where it is inside.
  Stated<std::string> outside_lax;
  CodeForm code;
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
/// table is read without a lock. REQUIREs a name of its own, one or two operands with their value, words for
/// what proofs take it for and why LAX is without it, code that yields a number, names no more than its
/// operands and is not the generator's (which knows no further operators), and room for it (64 in all).
ScalarOp add_scalar_op(ScalarRow row);

}  // namespace isomer::ir
