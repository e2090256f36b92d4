// Operators that take some of a node's inputs: their attribute `given` has the numbers of the inputs that the
// operands are, rising.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/ops/composed.h"

namespace isomer::ir::ops {

/// Number of the operand that is the node's input of that number; -1: none.
inline int operand_of(const OpInstance& op, int64_t input) {
  const std::vector<int64_t>& given = op.ints("given");
  const auto at = std::ranges::find(given, input);
  return at == given.end() ? -1 : static_cast<int>(at - given.begin());
}
/// The operand itself; invalid: none.
inline ValueId operand_of(const OpInstance& op, Values in, int64_t input) {
  const int at = operand_of(op, input);
  return at < 0 ? ValueId() : in[static_cast<size_t>(at)];
}

/// What is wrong with `given`, if anything: the first `always` inputs are there, and some of those up to
/// `last`.
inline std::string check_given(const OpInstance& op, int64_t always, int64_t last) {
  const std::vector<int64_t>& given = op.ints("given");
  const auto first = static_cast<size_t>(always);
  bool rises = given.size() == op.inputs.size() && given.size() >= first;
  for (size_t i = 0; rises && i < given.size(); ++i)
    rises = i < first ? given[i] == static_cast<int64_t>(i) : given[i] > given[i - 1] && given[i] <= last;
  if (rises) return "";
  return fmt::format("expected `given` to number the operands: 0 to {}, and those of {} to {} that are there",
                     always - 1, always, last);
}

}  // namespace isomer::ir::ops
