// Exact extraction as an integer program (Yang et al., TENSAT, MLSys 2021, section 5.1), in another
// formulation.
//
// Theirs has, for every e-node i and child class m, sum of x over m >= x_i, and an ordering variable a class
// with a big-M row a child edge to exclude cycles. Here
//  - a class c has a column y_c = sum of its x (one column if it has one node), and for each child class m
//  one row,
//    sum of x over the nodes of c that need m <= y_m: fewer rows and a tighter relaxation;
//  - nothing is said about cycles outside cyclic components; inside, pairs of classes that need each other
//  get a
//    row at once, longer cycles get one when a solution has them (solve, look, cut, solve again). The cut for
//    a cycle c_1 .. c_k is: sum of the arcs picked <= y_2 + ... + y_k;
//  - a solution with a cycle still gives a bound, and, repaired by the greedy extractor, an incumbent.
//
// Promise: DAG-optimal if `optimal`; else `bound` is proved.
#pragma once

#include <limits>

#include "extract/problem.h"
#include "support/limits.h"

namespace isomer::extract {

struct IlpOutcome {
  Selection selection;  ///< the best one known, at worst the start
  double cost = 0;      ///< its DAG cost
  double bound = -std::numeric_limits<double>::infinity();
  bool optimal = false;
  StopReason stop_reason = StopReason::kSaturated;
  int columns = 0;
  int rows = 0;
  int rounds = 0;      ///< solves
  int cycle_cuts = 0;  ///< added because a solution had the cycle
};

/// `start`: a valid selection. limits.nodes bounds the branch-and-bound nodes of each solve.
IlpOutcome solve_ilp(const Problem& problem, const Selection& start, const Limits& limits);

}  // namespace isomer::extract
