#include "ir/scalar_expr.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::ir {

ScalarExpr::ScalarExpr(ScalarOp op, const std::vector<ScalarExpr>& operands, DType dtype) {
  REQUIRE(static_cast<int>(operands.size()) == operand_count(op),
          "wrong number of operands of a scalar operator");
  for (const ScalarExpr& e : operands) code_.insert(code_.end(), e.code_.begin(), e.code_.end());
  code_.push_back({.op = op, .dtype = dtype});
}

bool ScalarExpr::names(int variable) const {
  return std::ranges::any_of(
      code_, [&](const Instr& in) { return in.op == ScalarOp::kVar && in.index == variable; });
}

ScalarExpr ScalarExpr::renumbered(const std::function<int(int)>& variable) const {
  ScalarExpr out = *this;
  for (Instr& in : out.code_)
    if (in.op == ScalarOp::kVar) in.index = variable(in.index);
  return out;
}

namespace scalar {

ScalarExpr read(int number) { return ScalarExpr({.op = ScalarOp::kRead, .index = number}); }
ScalarExpr valid(int number) { return ScalarExpr({.op = ScalarOp::kValid, .index = number}); }
ScalarExpr acc(int number) { return ScalarExpr({.op = ScalarOp::kAcc, .index = number}); }
ScalarExpr var(int number) { return ScalarExpr({.op = ScalarOp::kVar, .index = number}); }
ScalarExpr number(double value) { return ScalarExpr({.op = ScalarOp::kConst, .value = value}); }
ScalarExpr integer(const Size& value) {
  return value.is_number() ? ScalarExpr({.op = ScalarOp::kIntConst, .integer = value.number()})
                           : ScalarExpr({.op = ScalarOp::kSize, .size = value});
}
ScalarExpr apply(ScalarOp op, const ScalarExpr& a) { return {op, {a}}; }
ScalarExpr apply(ScalarOp op, const ScalarExpr& a, const ScalarExpr& b) { return {op, {a, b}}; }
ScalarExpr select(const ScalarExpr& condition, const ScalarExpr& then, const ScalarExpr& otherwise) {
  return {ScalarOp::kSelect, {condition, then, otherwise}};
}
ScalarExpr cast(DType to, const ScalarExpr& a) { return {ScalarOp::kCast, {a}, to}; }

}  // namespace scalar
}  // namespace isomer::ir
