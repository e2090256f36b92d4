// From a structure at model sizes to the target's sizes: which grids and loop ranges fit.
#pragma once

#include <vector>

#include "mugraph/kernel_cost.h"
#include "mugraph/search.h"

namespace isomer::mugraph {

inline constexpr size_t kMostSchedules = 4096;  ///< of a structure that are looked at, of each choices

struct Schedules {
  std::vector<MuGraph> graphs;
  std::vector<double> costs;  ///< seconds (kernel_cost.h)
  bool cut = false;           ///< there are more than kMostSchedules
};

/// All schedules out of the target's choices that divide evenly and fit its memory, cheapest first; those of
/// its finer choices are looked at apart, so that they take no place of the others. Where a
/// grid cuts one dimension besides batch dimensions, its parts are D / x for all dimensions D of inputs; the
/// numbers of blocks do not bind where only batch dimensions are cut, nor for as many blocks as the first
/// dimension has where all inputs have one rank.
/// Where an operator leaves reduction_dimx elements: the widths that the program's dimensions have.
/// `pricing`: of the model's operators and the target; what it remembers serves many structures.
Schedules schedules_of(const MuGraph& model, const Program& program, const Extents& extents,
                       const Target& target, Pricing& pricing);

}  // namespace isomer::mugraph
