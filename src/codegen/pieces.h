// Whether what a loop goes through is a piece of memory, where digits of numbers say where it lies (a
// swizzle, tiles of tiles), which strides of affine indices do not see (accesses.h). An index is taken as a
// multiple of some number that does not depend on the loop, and so many times its variable: the domain of
// congruences (Granger, 1989), with one variable kept apart.
#pragma once

#include <cstdint>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Whether `count` iterations of the variable from 0 on touch neighbours in memory, the first of which is a
/// multiple of `count` elements from the buffer's beginning: by a sufficient sign.
bool is_piece(const LoopProgram& program, const Access& access, int variable, int64_t count);
/// Whether the bound holds for all these iterations or for none of them: by a sufficient sign.
bool is_of_whole_pieces(const Bound& bound, int variable, int64_t count);

}  // namespace isomer::codegen
