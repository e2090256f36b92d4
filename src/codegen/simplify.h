// Indices without the divisions and remainders that movement through movement leaves: ranges of loop
// variables, and what an access's own bounds say where it is read, decide them. Rewriting sums by ranges,
// divisor by divisor, is the habit of Halide's and TVM's simplifiers; ours is this one form, a sum of
// multiples of terms.
#pragma once

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Every index as a sum of multiples of variables, where ranges allow it; bounds that always hold are
/// dropped.
LoopProgram simplify_indices(LoopProgram program);

}  // namespace isomer::codegen
