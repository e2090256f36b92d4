// Which of two values is never above the other, by how they are computed from one another: a number and what
// it is rounded down to, the lesser of two and each of them. Intervals see nothing of that, since both ends
// move together. (Relations between variables beside their ranges: Miné, "A new numerical abstract domain
// based on difference-bound matrices", 2001, who keeps a bound for each two; ours is asked of two values and
// follows the operators that are exact, so that it holds of rounded numbers too.)
#pragma once

#include "ir/graph.h"

namespace isomer::recipes {

/// No element of `a` is above the element of `b` that it meets where both are broadcast to each other; NaN is
/// above nothing. False: not known.
bool never_above(const ir::Graph& graph, ir::ValueId a, ir::ValueId b);

}  // namespace isomer::recipes
