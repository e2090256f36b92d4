// Operators that an older operator set has no name for, written out. Runtimes put such patterns together
// again, but match them word by word, so these are the words: GELU as Hugging Face's exporters write it,
// layer normalisation with Pow. (ONNX Runtime 1.31 fuses these and neither `x * sqrt(1/2)` in the one nor `c
// * c` in the other.) Composites without an entry here are written by their definition.
#pragma once

#include <span>

#include "ir/graph.h"

namespace isomer::formats {

using Lowering = ir::ValueId (*)(ir::Builder& builder, const ir::OpInstance& op,
                                 std::span<const ir::ValueId> operands);

/// Null when the operator has no such words of its own.
Lowering lowering(const ir::OpDef& def);

}  // namespace isomer::formats
