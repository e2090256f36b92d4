// A scalar expression compiled once: postfix becomes register code with the sort (number or integer) of every
// instruction resolved, so that running it over either value domain is a loop over a switch. What occurs
// twice is computed once (value numbering).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/scalar_expr.h"

namespace isomer::meaning {

enum class Sort : uint8_t { kNumber, kInteger };

struct ScalarProgram {
  struct Instr {
    ir::ScalarOp op;
    Sort sort;  ///< of the operands where they are of one sort, else of the result
    ir::DType dtype = ir::DType::kUndefined;
    int32_t a = -1, b = -1, c = -1;  ///< registers: numbers of earlier instructions
    int32_t index = 0;
    int64_t integer = 0;
    double value = 0;
  };
  std::vector<Instr> code;  ///< instruction i writes register i; the last is the result
  Sort sort = Sort::kNumber;
  std::vector<int> reads;  ///< read numbers that occur, ascending
};

/// `reads` and `accumulators`: the sorts of what the expression may name. Throws MisuseError, naming `what`,
/// when the expression mixes sorts.
ScalarProgram compile(const ir::ScalarExpr& expr, std::span<const Sort> reads,
                      std::span<const Sort> accumulators, const std::string& what);

}  // namespace isomer::meaning
