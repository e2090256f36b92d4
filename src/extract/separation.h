// Rows that a fractional solution breaks although every selection keeps them.
//
// Necessity. If every finite term of a class's nodes n_1 .. n_k contains a term of class m (necessary.h),
// then x_1 + ... + x_k <= y_m, even where m is no child of theirs. The relaxation alone only knows the
// children: of two ways down to m it lets each carry half, and m itself come half.
//
// Loops. The classes picked of any set S have a lowest one, whose node has no child in S. So for t in S,
// y_t <= sum of x over the nodes of S without a child in S: the loop formulas of answer set programming (Lin
// and Zhao, 2004), or cut inequalities of Steiner arborescences, for hypergraphs. Finding the most violated S
// is hard where nodes have several children in a component; here each node is blocked by one child at a time,
// which makes it a minimum cut, and the child that blocks is chosen anew until nothing improves.
//
// Cycles. One row for each cycle of an integral solution (cover_model.h).
#pragma once

#include <vector>

#include "extract/cover_model.h"
#include "extract/necessary.h"

namespace isomer::extract {

/// `necessary` must be that of the model's problem. Most violated first, at most `limit` of each kind.
std::vector<Cut> necessity_cuts(const CoverModel& model, const Necessary& necessary,
                                const std::vector<double>& x, size_t limit);
std::vector<Cut> loop_cuts(const CoverModel& model, const std::vector<double>& x, size_t limit);

/// Cycles of a selection, each as its classes in order: one for each back edge of a depth-first walk.
std::vector<std::vector<ClassId>> cycles(const Problem& problem, const Selection& selection);

}  // namespace isomer::extract
