// What values a program's inputs may take, inferred from what the program does with them: indices stay within
// the table they index, masks are 0 or 1, what a logarithm is taken of is positive.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace isomer::verify {

struct InputRange {
  /// Half-open for integers ([low, high)), uniform for floats. Empty (low >= high): nothing is known.
  double low = 0, high = 0;
  std::vector<double> values;   ///< if any: one of these
  bool optional = false;        ///< only where something is decided: the program takes any other integer, too
  bool wished_above_0 = false;  ///< by a declaration that says so of integers, as of a divisor
  bool from_the_end = false;    ///< indices; negative ones down to -high count from the end
  std::string why;              ///< "indices of node 'Gather_1'"; empty when nothing was found

  bool known() const { return !values.empty() || low < high; }
};

/// One for each of graph.inputs().
std::vector<InputRange> infer_input_ranges(const ir::Graph& graph);

}  // namespace isomer::verify
