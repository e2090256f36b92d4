// Exact extraction by one integer program (cover_model.h has the formulations), handed whole to the solver.
//
// Where the formulation says nothing about long cycles, a solution that has some is answered by a row for
// each (solve, look, cut, solve again): such a solution still gives a bound, and, repaired by the greedy
// extractor, an incumbent. exact.h does better; this is what it is compared with, and what TENSAT does.
//
// Promise: DAG-optimal if `optimal`; else `bound` is proved.
#pragma once

#include <limits>

#include "extract/cover_model.h"
#include "extract/deadline.h"
#include "extract/problem.h"

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

/// `start`: a valid selection.
IlpOutcome solve_ilp(const Problem& problem, const Selection& start, const Deadline& deadline,
                     const Formulation& formulation = {});

}  // namespace isomer::extract
