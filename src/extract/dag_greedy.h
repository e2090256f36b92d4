// DAG-greedy extraction: as tree-greedy, but a node's price is the cost of the whole sub-DAG below it, shared
// parts counted once. The gym's greedy-dag keeps a cost set a class and iterates to a fixed point, during
// which sets can disagree about a class; settling classes cheapest first, each once, makes the sets
// consistent: a class's set is exactly the closure of its final picks.
//
// Promise: none of optimality; the reported cost is that of the selection, never an estimate.
#pragma once

#include "extract/problem.h"

namespace isomer::extract {

/// Picks a node in every class that has a finite term at all. `costs` (by node) may stand in for the
/// problem's own: this is how a selection that is not quite valid is repaired, by making what it picks cheap.
Selection dag_greedy(const Problem& problem, std::span<const double> costs = {});

}  // namespace isomer::extract
