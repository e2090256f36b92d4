// Exact extraction by dynamic programming over a tree decomposition (Goharshady, Lam and Parreaux, Fast and
// Optimal Extraction for Sparse Equality Graphs, OOPSLA 2024), as bucket elimination.
//
// Classes are eliminated one by one in an order of least fill; the table of a bag says, for every state of
// its classes, the least cost of what was eliminated below it. A class is off, on and still without a node,
// or on and satisfied; a node's decision needs its class and its children in one bag, not all nodes of the
// class at once, which keeps bags small. Where a component is cyclic, the state also says which classes of
// the bag lead to which by picked nodes, and states in which a class leads to itself are dropped.
//
// Theirs chooses a node for a class in one step and orders the classes of a bag for acyclicity; ours has
// three states a class, and the reachability that was really used.
//
// Promise: DAG-optimal if it finishes. Costs must not be negative.
#pragma once

#include <cstdint>

#include "extract/deadline.h"
#include "extract/problem.h"

namespace isomer::extract {

struct TreeWidthOutcome {
  bool solved = false;  ///< false: a bag was too wide, a table too large, or time ran out
  Selection selection;
  double cost = 0;
  size_t width = 0;   ///< classes in the largest bag, less one; also known when a bag was too wide
  size_t states = 0;  ///< entries of all tables
};

/// Every root must have a finite term. At most `most_states` entries are kept in memory.
TreeWidthOutcome tree_width(const Problem& problem, const Deadline& deadline, size_t most_states = 4'000'000);

}  // namespace isomer::extract
