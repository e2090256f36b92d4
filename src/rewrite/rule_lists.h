// Lists of numbers in the expressions of rules (rule_expr.h), element by element: what is said of every
// dimension of a tensor at once. All sizes must be numbers; lists of one length, or a list and a number that
// stands for as many.
#pragma once

#include <optional>
#include <vector>

#include "rewrite/rule_values.h"

namespace isomer::rewrite {

constexpr size_t kLongestList = 4096;  ///< no shape or list of axes is longer

/// + - * / % min max of which one operand is a list; nothing where neither is, or not of numbers. The value
/// is absent where lengths differ or an element has none.
std::optional<Value> list_arithmetic(Function op, const Value& a, const Value& b);
/// == != < <= > >= of a list and a number, and bounds of two lists: whether they hold at every element (`!=`:
/// not whether all are equal). Nothing where that is not asked.
std::optional<Value> list_comparison(Function op, const Value& a, const Value& b);
/// marks(l, n), places(l), at(l, m) of a list m, join and replace where numbers may be negative; nothing for
/// others.
std::optional<Value> of_number_lists(Function f, const std::vector<Value>& args);

/// + - * / % min max of integers, where there is a result: / is exact.
std::optional<int64_t> integer_arithmetic(Function op, int64_t x, int64_t y);

}  // namespace isomer::rewrite
