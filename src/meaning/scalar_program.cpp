#include "meaning/scalar_program.h"

#include <algorithm>
#include <bit>

#include "ir/scalar_table.h"
#include "support/errors.h"

namespace isomer::meaning {

using ir::ScalarOp;

namespace {

Sort leaf_sort(const ir::ScalarExpr::Instr& in, std::span<const Sort> reads,
               std::span<const Sort> accumulators, const std::string& what) {
  const auto among = [&](std::span<const Sort> of, const char* missing) {
    REQUIRE(in.index >= 0 && static_cast<size_t>(in.index) < of.size(), what + missing);
    return of[static_cast<size_t>(in.index)];
  };
  if (in.op == ScalarOp::kRead) return among(reads, ": no such read");
  if (in.op == ScalarOp::kAcc) return among(accumulators, ": no such accumulator");
  return in.op == ScalarOp::kConst ? Sort::kNumber : Sort::kInteger;
}

bool identical(const ScalarProgram::Instr& x, const ScalarProgram::Instr& y) {
  return x.op == y.op && x.sort == y.sort && x.dtype == y.dtype && x.a == y.a && x.b == y.b && x.c == y.c &&
         x.index == y.index && x.integer == y.integer &&
         std::bit_cast<uint64_t>(x.value) == std::bit_cast<uint64_t>(y.value);
}

}  // namespace

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
    REQUIRE(in.op != ScalarOp::kSize, what + ": a size that is only named, where a number is needed");
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
    switch (ir::row(in.op).sorts) {
      case ir::Sorts::kLeaf: result = out.sort = leaf_sort(in, reads, accumulators, what); break;
      case ir::Sorts::kSame:
        result = out.sort = sort_of(out.a);
        if (operands == 2) require_sort(out.b, out.sort);
        break;
      case ir::Sorts::kNumbers:
        require_sort(out.a, Sort::kNumber);
        if (operands == 2) require_sort(out.b, Sort::kNumber);
        break;
      case ir::Sorts::kTest:
        require_sort(out.a, Sort::kNumber);
        result = Sort::kInteger;
        break;
      case ir::Sorts::kCompare:
        out.sort = sort_of(out.a);
        require_sort(out.b, out.sort);
        result = Sort::kInteger;
        break;
      case ir::Sorts::kIntegers:
        require_sort(out.a, Sort::kInteger);
        if (operands == 2) require_sort(out.b, Sort::kInteger);
        result = out.sort = Sort::kInteger;
        break;
      case ir::Sorts::kSelect:
        require_sort(out.a, Sort::kInteger);
        require_sort(out.c, sort_of(out.b));
        result = out.sort = sort_of(out.b);
        break;
      case ir::Sorts::kToNumber: require_sort(out.a, Sort::kInteger); break;
      case ir::Sorts::kToInteger:
        require_sort(out.a, Sort::kNumber);
        result = out.sort = Sort::kInteger;
        break;
    }
    if (in.op == ScalarOp::kRead || in.op == ScalarOp::kValid) program.reads.push_back(in.index);
    const auto same = std::ranges::find_if(program.code, [&](const auto& i) { return identical(i, out); });
    stack.push_back(static_cast<int32_t>(same - program.code.begin()));
    if (same != program.code.end()) continue;
    sorts.push_back(result);
    program.code.push_back(out);
  }
  REQUIRE(stack.size() == 1, what + ": a scalar expression leaves several values");
  program.sort = sorts.back();
  std::ranges::sort(program.reads);
  program.reads.erase(std::unique(program.reads.begin(), program.reads.end()), program.reads.end());
  return program;
}

}  // namespace isomer::meaning
