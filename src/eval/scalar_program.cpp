#include "eval/scalar_program.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::eval {

using ir::ScalarOp;

ScalarProgram compile(const ir::ScalarExpr& expr, std::span<const Sort> reads,
                      std::span<const Sort> accumulators, const std::string& what) {
  REQUIRE(!expr.empty(), what + ": an empty scalar expression");
  ScalarProgram program;
  std::vector<int32_t> stack;
  std::vector<Sort> sorts;  // of the registers
  for (const auto& in : expr.code()) {
    ScalarProgram::Instr out{.op = in.op,
                             .sort = Sort::kNumber,
                             .dtype = in.dtype,
                             .index = in.index,
                             .integer = in.integer,
                             .value = in.value};
    const int operands = ir::operand_count(in.op);
    REQUIRE(static_cast<int>(stack.size()) >= operands, what + ": a scalar expression lacks operands");
    int32_t* const slots[3] = {&out.a, &out.b, &out.c};
    for (int i = operands; i-- > 0;) {
      *slots[i] = stack.back();
      stack.pop_back();
    }
    const auto sort_of = [&](int32_t reg) { return sorts[static_cast<size_t>(reg)]; };
    const auto require_sort = [&](int32_t reg, Sort sort) {
      REQUIRE(sort_of(reg) == sort, what + (sort == Sort::kInteger ? ": expected an integer, got a number"
                                                                   : ": expected a number, got an integer"));
    };
    Sort result = Sort::kNumber;
    switch (in.op) {
      case ScalarOp::kRead:
        REQUIRE(in.index >= 0 && static_cast<size_t>(in.index) < reads.size(), what + ": no such read");
        result = out.sort = reads[static_cast<size_t>(in.index)];
        program.reads.push_back(in.index);
        break;
      case ScalarOp::kAcc:
        REQUIRE(in.index >= 0 && static_cast<size_t>(in.index) < accumulators.size(),
                what + ": no such accumulator");
        result = out.sort = accumulators[static_cast<size_t>(in.index)];
        break;
      case ScalarOp::kValid: program.reads.push_back(in.index); [[fallthrough]];
      case ScalarOp::kVar:
      case ScalarOp::kIntConst: result = out.sort = Sort::kInteger; break;
      case ScalarOp::kConst: break;
      case ScalarOp::kLess:
      case ScalarOp::kLessEqual:
      case ScalarOp::kEqual:
        out.sort = sort_of(out.a);
        require_sort(out.b, out.sort);
        result = Sort::kInteger;
        break;
      case ScalarOp::kIsNan:
      case ScalarOp::kIsInf:
        require_sort(out.a, Sort::kNumber);
        result = Sort::kInteger;
        break;
      case ScalarOp::kAnd:
      case ScalarOp::kOr:
      case ScalarOp::kXor:
      case ScalarOp::kShiftLeft:
      case ScalarOp::kShiftRight: require_sort(out.b, Sort::kInteger); [[fallthrough]];
      case ScalarOp::kNot:
      case ScalarOp::kBitNot:
        require_sort(out.a, Sort::kInteger);
        result = out.sort = Sort::kInteger;
        break;
      case ScalarOp::kSelect:
        require_sort(out.a, Sort::kInteger);
        require_sort(out.c, sort_of(out.b));
        result = out.sort = sort_of(out.b);
        break;
      case ScalarOp::kToNumber: require_sort(out.a, Sort::kInteger); break;
      case ScalarOp::kToInteger:
        require_sort(out.a, Sort::kNumber);
        result = out.sort = Sort::kInteger;
        break;
      default:  // arithmetic, casts, functions of numbers
        result = out.sort = sort_of(out.a);
        if (operands == 2) require_sort(out.b, out.sort);
        if (in.op >= ScalarOp::kExp && in.op <= ScalarOp::kRound) require_sort(out.a, Sort::kNumber);
        break;
    }
    stack.push_back(static_cast<int32_t>(program.code.size()));
    sorts.push_back(result);
    program.code.push_back(out);
  }
  REQUIRE(stack.size() == 1, what + ": a scalar expression leaves several values");
  program.sort = sorts.back();
  std::ranges::sort(program.reads);
  program.reads.erase(std::unique(program.reads.begin(), program.reads.end()), program.reads.end());
  return program;
}

}  // namespace isomer::eval
