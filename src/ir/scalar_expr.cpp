#include "ir/scalar_expr.h"

#include "support/errors.h"

namespace isomer::ir {

int operand_count(ScalarOp op) {
  switch (op) {
    case ScalarOp::kRead:
    case ScalarOp::kValid:
    case ScalarOp::kAcc:
    case ScalarOp::kVar:
    case ScalarOp::kConst:
    case ScalarOp::kIntConst: return 0;
    case ScalarOp::kAdd:
    case ScalarOp::kSub:
    case ScalarOp::kMul:
    case ScalarOp::kDiv:
    case ScalarOp::kMax:
    case ScalarOp::kMin:
    case ScalarOp::kPow:
    case ScalarOp::kLess:
    case ScalarOp::kLessEqual:
    case ScalarOp::kEqual:
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
    case ScalarOp::kMod:
    case ScalarOp::kFMod:
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRight: return 2;
    case ScalarOp::kSelect: return 3;
    default: return 1;
  }
}

ScalarExpr::ScalarExpr(ScalarOp op, const std::vector<ScalarExpr>& operands, DType dtype) {
  REQUIRE(static_cast<int>(operands.size()) == operand_count(op),
          "wrong number of operands of a scalar operator");
  for (const ScalarExpr& e : operands) code_.insert(code_.end(), e.code_.begin(), e.code_.end());
  code_.push_back({.op = op, .dtype = dtype});
}

namespace scalar {

ScalarExpr read(int number) { return ScalarExpr({.op = ScalarOp::kRead, .index = number}); }
ScalarExpr valid(int number) { return ScalarExpr({.op = ScalarOp::kValid, .index = number}); }
ScalarExpr acc(int number) { return ScalarExpr({.op = ScalarOp::kAcc, .index = number}); }
ScalarExpr var(int number) { return ScalarExpr({.op = ScalarOp::kVar, .index = number}); }
ScalarExpr number(double value) { return ScalarExpr({.op = ScalarOp::kConst, .value = value}); }
ScalarExpr integer(int64_t value) { return ScalarExpr({.op = ScalarOp::kIntConst, .integer = value}); }
ScalarExpr apply(ScalarOp op, const ScalarExpr& a) { return {op, {a}}; }
ScalarExpr apply(ScalarOp op, const ScalarExpr& a, const ScalarExpr& b) { return {op, {a, b}}; }
ScalarExpr select(const ScalarExpr& condition, const ScalarExpr& then, const ScalarExpr& otherwise) {
  return {ScalarOp::kSelect, {condition, then, otherwise}};
}
ScalarExpr cast(DType to, const ScalarExpr& a) { return {ScalarOp::kCast, {a}, to}; }

}  // namespace scalar
}  // namespace isomer::ir
