// HLO modules as programs of the IR, as far as operators that are there can say them: element by element,
// broadcast, reshape, transpose, slice, pad, concatenate, reverse, reductions by one plain operator, dot,
// convolution, convert, compare, select, clamp, iota, constants. Calls and fusions are written out, tuples
// taken apart. What no output needs is left out.
//
// The operators are those of ONNX models where they can say it, so the meanings are the same: a broadcast is
// a reshape and a numpy broadcast, a dot is a product of transposed and reshaped operands, a convolution is
// one of channels first between transposes. Dynamic slices, interior padding and dilated inputs are operators
// that the IR has for HLO (ir/ops/xla.cpp).
#pragma once

#include "hlo/module.h"
#include "ir/graph.h"

namespace isomer::formats {

/// The entry computation of a module whose types fit (hlo::require_valid). Throws InputError with line and
/// column at the first instruction that cannot be said, and says why.
ir::Graph hlo_graph(ir::Context& ctx, const hlo::Module& module);

}  // namespace isomer::formats
