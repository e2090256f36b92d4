// Tree-greedy extraction by Knuth's generalisation of Dijkstra's algorithm (1977): classes are settled in
// order of the cost of their cheapest tree, each once, so a selection is acyclic by construction and every
// e-node is priced once. egg's and the gym's bottom-up extractors reach the same costs by iterating to a
// fixed point.
//
// Promise: with costs >= 0 every class gets its optimal tree cost. Negative costs are priced as 0 (a valid
// selection, no promise).
#pragma once

#include "extract/problem.h"

namespace isomer::extract {

/// Picks a node in every class that has a finite term at all, reachable or not.
Selection tree_greedy(const Problem& problem);

}  // namespace isomer::extract
