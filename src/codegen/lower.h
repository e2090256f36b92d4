// From meanings to loops: each operator's loop nest becomes serial loops around stores, in the order of the
// graph, every value in a buffer of its own. Nothing is decided here; fuse.h and schedule.h do.
#pragma once

#include "codegen/loop_program.h"
#include "ir/graph.h"

namespace isomer::codegen {

/// Composites are written out first. Throws InputError, naming the node, for what has no loop nest (opaque
/// and procedural operators) and for sizes that are not numbers.
LoopProgram lower(const ir::Graph& graph);

}  // namespace isomer::codegen
