#include "verify/function_names.h"

#include <algorithm>

#include "ir/scalar_table.h"

namespace isomer::verify {

std::vector<std::string> function_names(uint64_t mask) {
  std::vector<std::string> out;
  for (const bool functions : {true, false})  // functions of numbers are named first
    for (int op = 0; op < ir::scalar_op_count(); ++op) {
      const ir::ScalarRow& row = ir::row(static_cast<ir::ScalarOp>(op));
      const bool named = (mask >> op & 1) != 0 && !row.arbitrary->empty();
      if (named && (row.sorts == ir::Sorts::kNumbers) == functions &&
          std::ranges::find(out, *row.arbitrary) == out.end())
        out.push_back(*row.arbitrary);
    }
  return out;
}

}  // namespace isomer::verify
