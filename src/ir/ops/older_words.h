// Operators that an older operator set has no name for, written out. Runtimes put such patterns together
// again, but match them word by word, so these are the words: GELU as Hugging Face's exporters write it,
// layer normalisation with Pow. (ONNX Runtime 1.31 fuses these and neither `x * sqrt(1/2)` in the one nor `c
// * c` in the other.) Composites without such words of their own (OpDef::older_words) are written by their
// definition.
#pragma once

#include <span>

#include "ir/graph.h"

namespace isomer::ir::ops {

using OlderWords = ValueId (*)(Builder& builder, const OpInstance& op, std::span<const ValueId> operands);

ValueId older_gelu(Builder& builder, const OpInstance& op, std::span<const ValueId> in);
ValueId older_hard_swish(Builder& builder, const OpInstance& op, std::span<const ValueId> in);
ValueId older_mish(Builder& builder, const OpInstance& op, std::span<const ValueId> in);
ValueId older_layer_norm(Builder& builder, const OpInstance& op, std::span<const ValueId> in);
ValueId older_rms_norm(Builder& builder, const OpInstance& op, std::span<const ValueId> in);

}  // namespace isomer::ir::ops
