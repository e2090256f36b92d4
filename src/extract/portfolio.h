// What `auto` does: the best of the quick heuristics; then exact extraction with cuts (exact.h) for part of
// the time; then, while something is unproved, windows (windows.h) around the incumbent; and exact extraction
// again from the better incumbent, whose reduced costs fix more.
#pragma once

#include "extract/exact.h"
#include "extract/problem.h"
#include "support/rng.h"

namespace isomer::extract {

/// The best of tree-greedy and DAG-greedy, improved by a short local search. The problem must be reduced;
/// every class gets a pick.
Selection quick_selection(const Problem& problem);

/// From a valid selection of a reduced problem, until proved optimal or out of time.
ExactOutcome improve_until(const Problem& problem, Selection start, const Deadline& deadline, Rng& rng);

}  // namespace isomer::extract
