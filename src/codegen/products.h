// Products: nests that multiply and sum, brought into the form of a micro-kernel. One axis of the result runs
// in lanes and one in rows, so that a tile of sums stays in registers while the operands go by (Goto, van de
// Geijn: TOMS 2008); the operand of the lanes is laid out in panels of that width, in the order in which the
// kernel reads it, and padding is written into a copy instead of being asked about at every element. What
// differs here: the nest may be any (products of matrices, convolutions, grouped and batched ones), since
// which axis is which is read from the indices; and panels are statements of the program like all others, so
// that panels of weights run when the program is loaded (parts.h).
#pragma once

#include "codegen/loop_program.h"
#include "codegen/schedule.h"

namespace isomer::codegen {

/// Products at the top of the program are tiled, and what lays out their operands stands before them.
LoopProgram tile_products(LoopProgram program, const ScheduleOptions& options);

}  // namespace isomer::codegen
