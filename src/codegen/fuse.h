// Loops that come together. Movement disappears into the addresses of who reads it; loops of one extent where
// one reads what the other wrote, element by element, become one; what then lives within an iteration only
// shrinks to it. Legality by indices, as in Halide's compute_at and in polyhedral fusion (Bondhugula et al.,
// PLDI 2008), of which this is the case where the shared dimension is indexed by the loops' own variables.
#pragma once

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Values that only move elements are read where they came from. Stores that nobody reads are dropped.
LoopProgram inline_movement(LoopProgram program);

/// Loops of neighbours, or of what can stand beside each other, come together wherever it is legal and they
/// share a buffer, but not where it would run a product's operand again for each of its columns.
LoopProgram fuse_loops(LoopProgram program);

/// Scratch that one iteration writes and the same reads is private to it, without the dimensions that the
/// loops around go through; larger ones than `most` bytes stay.
LoopProgram shrink_buffers(LoopProgram program, int64_t most = 16 << 10);

/// Buffers that nothing touches go, but those of the interface.
LoopProgram drop_untouched(LoopProgram program);

}  // namespace isomer::codegen
