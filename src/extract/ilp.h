// Exact extraction by one integer program (cover_model.h has the formulations), handed whole to the solver.
//
// Where the formulation says nothing about long cycles, a solution that has some is answered by a row for
// each (solve, look, cut, solve again): such a solution still gives a bound, and, repaired by the greedy
// extractor, an incumbent. exact.h does better; this is what it is compared with, and what TENSAT does.
//
// Promise: DAG-optimal if `optimal`; else `bound` is proved.
#pragma once

#include "extract/cover_model.h"
#include "extract/deadline.h"
#include "extract/outcome.h"

namespace isomer::extract {

struct IlpOutcome : Outcome {
  int columns = 0;
  int rows = 0;
  int cycle_cuts = 0;  ///< added because a solution had the cycle
};

/// `start`: a valid selection.
IlpOutcome solve_ilp(const Problem& problem, const Selection& start, const Deadline& deadline,
                     const Formulation& formulation = {});

}  // namespace isomer::extract
