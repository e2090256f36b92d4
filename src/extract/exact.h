// Exact extraction: relax, cut, fix, reduce again, fall apart, branch.
//
// The relaxation of the cover model (cover_model.h) is solved and cut (separation.h) until its bound stands
// still. Its reduced costs then say which nodes no selection cheaper than the incumbent can pick, and which
// classes every such selection needs. Without those nodes, and with those classes as roots, the problem goes
// back to preprocessing, which usually finds more to drop than the fixing alone did, and falls apart into
// more blocks; each is solved in the same way. What does not shrink any more goes to branch and bound, with
// the cuts. Costs that are whole multiples of some number lift every bound to the next multiple.
//
// Fixing by reduced costs is Dantzig, Fulkerson and Johnson's (1954); that it is done between rounds of the
// extraction problem's own preprocessing is ours.
//
// Promise: DAG-optimal if `optimal`; else `bound` is proved. Costs may be negative.
#pragma once

#include "extract/deadline.h"
#include "extract/outcome.h"

namespace isomer::extract {

/// `rounds`: of branch and bound.
struct ExactOutcome : Outcome {
  int relaxations = 0;
  int cuts = 0;
  size_t blocks = 0;         ///< independent parts that had something to decide
  size_t largest_block = 0;  ///< nodes in the largest of them
};

/// `start`: a valid selection of a reduced problem.
ExactOutcome solve_exactly(const Problem& problem, const Selection& start, const Deadline& deadline);

/// The largest number that all costs are whole multiples of, 0 if there is none above 1e-3.
double cost_step(const Problem& problem);

}  // namespace isomer::extract
