// Beam extraction: as DAG-greedy, but every class keeps the `width` cheapest terms known for it, each as the
// set of picks that it needs, and a node tries the combinations of its children's terms, child after child,
// keeping the best `width` unions. Unions whose picks disagree about a class are dropped, so that what is
// left is a selection, and acyclic: a closed set of picks has no cycle, and two that agree make none.
//
// Promise: a valid selection wherever there is one; with `width` 1 about as good as DAG-greedy.
#pragma once

#include "extract/problem.h"

namespace isomer::extract {

/// Memory and time grow with width times the size of the terms. `work` bounds the number of picks that are
/// looked at; when it is used up, classes keep the terms that they have.
Selection beam(const Problem& problem, size_t width, uint64_t work = 100'000'000);

}  // namespace isomer::extract
