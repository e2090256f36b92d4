// Indices without the divisions and remainders that movement through movement leaves: ranges of loop
// variables, and what an access's own bounds say where it is read, decide them. Rewriting sums by ranges,
// divisor by divisor, is the habit of Halide's and TVM's simplifiers; ours is this one form, a sum of
// multiples of terms.
#pragma once

#include <optional>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// How far from the buffer's first element the access is, if that needs no division though its dimensions do:
/// what a reshape takes apart and puts together again.
std::optional<ir::IndexExpr> offset_of(const Buffer& buffer, const Access& access);

/// Whether there is a division or a remainder in it.
bool divides(const ir::IndexExpr& e);

/// Every index as a sum of multiples of variables, where ranges allow it; bounds that always hold are
/// dropped.
LoopProgram simplify_indices(LoopProgram program);

}  // namespace isomer::codegen
