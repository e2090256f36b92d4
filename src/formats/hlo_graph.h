// HLO modules as programs of the IR, as far as its operators can say them (docs/hlo.md has the list). Calls
// and fusions are written out, tuples taken apart; loops, branches, comparators and combiners are regions.
// What no output needs is left out. hlo_lowering.h is how it is made.
//
// The operators are those of ONNX models where they can say it, so the meanings are the same: a broadcast is
// a reshape and a numpy broadcast, a dot is a product of transposed and reshaped operands, a convolution is
// one of channels first between transposes, a gather takes clamped places. XLA lowers HLO to kernels of its
// own; what no operator of ONNX is, dynamic slices or windows that a region reduces, is one that the IR has
// for HLO (ir/ops/xla.cpp, ir/ops/reduce_region.cpp).
#pragma once

#include <vector>

#include "hlo/module.h"
#include "ir/graph.h"

namespace isomer::formats {

/// The entry computation of a module whose types fit (hlo::require_valid). Throws InputError with line and
/// column at the first instruction that cannot be said, and says why.
ir::Graph hlo_graph(ir::Context& ctx, const hlo::Module& module);

/// The same values without what such a program says of order and memory: `after`, layouts, donations. For
/// formats that have nothing of it, as ONNX.
ir::Graph without_memory(const ir::Graph& graph);

/// What can be said of a computation, whatever the rest is: what cannot be said is an input.
struct HloValues {
  ir::Graph graph;  ///< its outputs: all values that instructions have
  std::vector<ir::ValueId>
      value_of;  ///< by instruction: its array; invalid where it has none, or stands elsewhere
};
HloValues hlo_values(ir::Context& ctx, const hlo::Module& module, hlo::ComputationId id);

}  // namespace isomer::formats
