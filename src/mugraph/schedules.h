// From a structure at model sizes to the target's sizes: which grids and loop ranges fit.
#pragma once

#include <vector>

#include "mugraph/kernel_cost.h"
#include "mugraph/search.h"

namespace isomer::mugraph {

struct Schedules {
  std::vector<MuGraph> graphs;
  std::vector<double> costs;  ///< seconds (kernel_cost.h)
};

/// All schedules out of the public project's candidates that divide evenly and fit the memory, cheapest
/// first. Grids: an axis of D elements is cut into D / x blocks for x in 8, 16 ... 256 (any D of an input),
/// or into 4, 8, 16; 32 to 4,096 blocks unless only batch dimensions are cut, or as many as the first
/// dimension has where all inputs have one rank. Loops: 4, 16, 64 iterations.
/// Where an operator leaves reduction_dimx elements: the widths that the program's dimensions have.
/// `pricing`: of the model's operators and the memory's elements; what it remembers serves many structures.
Schedules schedules_of(const MuGraph& model, const Program& program, const Extents& extents,
                       const MemoryLimits& memory, Pricing& pricing);

}  // namespace isomer::mugraph
