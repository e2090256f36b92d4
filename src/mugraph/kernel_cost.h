// What running a muGraph costs, before anything is measured.
#pragma once

#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// Elements that one block loads from device memory in all its iterations; what does not depend on the
/// iteration is loaded once.
int64_t elements_loaded(const BlockGraph& block);

/// Bytes that kernels read from and write to device memory, with a constant for each launch: what ranks
/// verified muGraphs before anything is measured.
double traffic_cost(const MuGraph& graph, int element_bytes);

}  // namespace isomer::mugraph
