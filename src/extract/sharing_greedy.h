// The sharing-aware cost function of Hartmann, He and Yoneki (Optimizing Tensor Computation Graphs with
// Equality Saturation and Monte Carlo Tree Search, 2024, Algorithm 2), which drives a greedy extractor by
// rewards of MCTS: each class keeps a history of constituent costs, and what a child shares with its earlier
// siblings is not paid again.
//
// As published, a history maps a class to what it added when it was met, and of a child's overlap with its
// siblings the largest entry counts: three cases, in the order of the children. Where two paths split and
// meet again that entry is less than what is shared (their figure 9: a graph of seven operators is priced 8).
// Corrected, the histories hold the classes' own costs and a child adds those that were not met, so that a
// graph without choices is always priced exactly. (Its cost less the sum of what was met is the same number,
// but rounding errors would double wherever paths meet: NASNet-A lost its sixth digit to that.) With choices
// both stay heuristics; the corrected price is never below that of the best program.
//
// As in egg's extractor, passes over the classes go on until no class becomes cheaper; a node that needs its
// own class through its children's histories is passed over.
#pragma once

#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

enum class SharingCost : uint8_t { kPublished, kCorrected };

struct SharingGreedy {
  Selection selection;       ///< a node for every class that has a finite term
  std::vector<double> cost;  ///< by class, as the cost function has it; infinite without a finite term
};

/// Negative costs count as 0.
SharingGreedy sharing_greedy(const Problem& problem, SharingCost version);

}  // namespace isomer::extract
