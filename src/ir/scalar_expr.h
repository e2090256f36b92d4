// The scalar language that meanings are written in: what one output element is, in terms of the elements
// read. Two sorts: numbers (floating-point operands: float64 or a field element, as the evaluator's domain
// says) and integers (integer and bool operands, always 64-bit two's complement). Bools are the integers 0
// and 1.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ir/dtype.h"
#include "ir/size.h"

namespace isomer::ir {

/// What is known of each stands in its row of the table (ir/scalar_table.h), which others may be added to.
enum class ScalarOp : uint8_t {
  kRead,      ///< element of read number `index` (its fill value where the read is out of bounds)
  kValid,     ///< integer 1 where read number `index` is in bounds, else 0
  kAcc,       ///< accumulator number `index` (only in a nest's result)
  kVar,       ///< loop variable number `index`, an integer
  kConst,     ///< the number `value`
  kIntConst,  ///< the integer `integer`
  // numbers or integers, both operands of one sort
  kAdd,
  kSub,
  kMul,
  kDiv,
  kNeg,
  kMax,
  kMin,
  kAbs,
  kSign,
  kPow,
  // numbers only
  kExp,
  kLog,
  kSqrt,
  kErf,
  kTanh,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kFloor,
  kCeil,
  kRound,
  kIsNan,
  kIsInf,
  // comparisons: an integer 0 or 1
  kLess,
  kLessEqual,
  kEqual,
  // integers only
  kAnd,
  kOr,
  kXor,
  kNot,
  kMod,
  kFMod,
  kShiftLeft,
  kShiftRight,
  kBitNot,
  kSelect,     ///< (integer condition, then, else)
  kToNumber,   ///< integer -> number
  kToInteger,  ///< number -> integer, towards zero
  kCast,       ///< rounds or wraps to `dtype` (numbers: to its precision; integers: to its width; bool: != 0)
  kSize,       ///< the integer `size`, which is only named; where sizes are numbers: kIntConst
};

/// Number of operands of an operator (0 to 3).
int operand_count(ScalarOp op);

/// A scalar expression as a postfix program. Built with the functions below; read by evaluators, printers and
/// analyses.
class ScalarExpr {
 public:
  struct Instr {
    ScalarOp op;
    DType dtype = DType::kUndefined;  ///< kCast
    int32_t index = 0;                ///< kRead, kValid, kAcc, kVar
    int64_t integer = 0;              ///< kIntConst
    double value = 0;                 ///< kConst
    Size size = 0;                    ///< kSize
  };

  ScalarExpr() = default;
  explicit ScalarExpr(Instr leaf) : code_{leaf} {}  // NOLINT(performance-unnecessary-value-param)
  ScalarExpr(ScalarOp op, const std::vector<ScalarExpr>& operands, DType dtype = DType::kUndefined);

  const std::vector<Instr>& code() const { return code_; }
  bool empty() const { return code_.empty(); }
  /// Whether it names the place of this loop variable.
  bool names(int variable) const;
  /// With the variables numbered anew.
  ScalarExpr renumbered(const std::function<int(int)>& variable) const;

 private:
  std::vector<Instr> code_;
};

namespace scalar {

ScalarExpr read(int number);
ScalarExpr valid(int number);
ScalarExpr acc(int number);
ScalarExpr var(int number);
ScalarExpr number(double value);
ScalarExpr integer(const Size& value);
ScalarExpr apply(ScalarOp op, const ScalarExpr& a);
ScalarExpr apply(ScalarOp op, const ScalarExpr& a, const ScalarExpr& b);
ScalarExpr select(const ScalarExpr& condition, const ScalarExpr& then, const ScalarExpr& otherwise);
ScalarExpr cast(DType to, const ScalarExpr& a);

}  // namespace scalar

inline ScalarExpr operator+(const ScalarExpr& a, const ScalarExpr& b) {
  return scalar::apply(ScalarOp::kAdd, a, b);
}
inline ScalarExpr operator-(const ScalarExpr& a, const ScalarExpr& b) {
  return scalar::apply(ScalarOp::kSub, a, b);
}
inline ScalarExpr operator*(const ScalarExpr& a, const ScalarExpr& b) {
  return scalar::apply(ScalarOp::kMul, a, b);
}
inline ScalarExpr operator/(const ScalarExpr& a, const ScalarExpr& b) {
  return scalar::apply(ScalarOp::kDiv, a, b);
}
inline ScalarExpr operator-(const ScalarExpr& a) { return scalar::apply(ScalarOp::kNeg, a); }

}  // namespace isomer::ir
