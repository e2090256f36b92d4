// Values that are written where they are needed: a concatenation's operands right into the result, and what
// is read beyond its edges (by convolutions, by pooling) into memory that has a border around it. Both move
// buffers, not loops: every access of a buffer is written anew.
#pragma once

#include <set>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// What selects among operands by ranges of one axis copies each range by itself; of an operand that lies in
/// one piece of the result and has no place of its own yet, nothing is copied.
LoopProgram write_in_place(LoopProgram program);

/// Images that are given and of which a product multiplies each channel, of enough, by weights of its own.
std::set<int> images_to_copy(const LoopProgram& program);
/// These are copied first: what is scratch can have a border and lie in blocks of channels (blocks.h).
LoopProgram images_copied(LoopProgram program);

/// Scratch that is read beyond its edges by what combines elements has room there for what is read instead,
/// so that nobody asks.
LoopProgram with_borders(LoopProgram program);

}  // namespace isomer::codegen
