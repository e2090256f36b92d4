// Local search on selections, each move judged by the true DAG cost. Two moves. Exchange: a class takes
// another of its nodes. Pull: every class in use that has a node over a class m takes it, which is what a
// merged product needs whose parts are cheap only together (each part alone would make things dearer, so
// greedy never gets there).
//
// Promise: never worse than the start; no move of either kind improves the result, unless the work limit was
// met.
#pragma once

#include <cstdint>

#include "extract/problem.h"

namespace isomer::extract {

/// `start` must be valid and should have picks for unused classes too, since moves lead there. `work` bounds
/// the number of classes visited, so that the result does not depend on the clock.
Selection local_search(const Problem& problem, Selection start, uint64_t work = 20'000'000);

}  // namespace isomer::extract
