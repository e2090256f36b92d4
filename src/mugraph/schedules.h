// From a structure at model sizes to the target's sizes: which grids and loop ranges fit.
#pragma once

#include <vector>

#include "mugraph/search.h"

namespace isomer::mugraph {

/// All schedules out of the public project's candidates that divide evenly and fit the memory, cheapest
/// first. Grids: an axis of D elements is cut into D / x blocks for x in 8, 16 ... 256 (any D of an input),
/// or into 4, 8, 16; 32 to 4,096 blocks unless only batch dimensions are cut. Loops: 4, 16, 64 iterations.
std::vector<MuGraph> schedules_of(const MuGraph& model, const Program& program, const Extents& extents,
                                  int64_t reduce_to, const MemoryLimits& memory);

/// Bytes that kernels read from and write to device memory, with a constant for each launch: what ranks
/// verified muGraphs before anything is measured.
double traffic_cost(const MuGraph& graph, int element_bytes);

}  // namespace isomer::mugraph
