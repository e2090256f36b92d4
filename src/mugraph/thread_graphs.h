// Thread graphs by rule (Mirage, section on thread graphs; OSDI 2025, figure 4): an elementwise operator
// takes in the elementwise ones that make its operands, if nothing else uses these, until none is left. What
// one thread then does to its elements never leaves its registers. The first version replaces patterns; its
// project fuses operators of one operand only; here operators of two are fused as well, also where one
// operand is a column that is repeated along rows (a row's root of mean square and what is divided by it).
#pragma once

#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// The same muGraph with a thread graph in the place of each two or more elementwise operators that fuse. The
/// threads of a block share out the last dimensions of the result; each loops over its elements of the last
/// one. Thread graphs that are there stay.
MuGraph with_thread_graphs(const MuGraph& graph);

}  // namespace isomer::mugraph
