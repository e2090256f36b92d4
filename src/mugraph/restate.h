// A model stated again, so that more of it is pieces that a search for muGraphs can state (subprograms.h):
// what it computes is the same.
#pragma once

#include "ir/graph.h"

namespace isomer::mugraph {

/// Normalisations, and what else is defined by operators that add up, as these operators; softmax stays. A
/// reciprocal is a quotient.
ir::Graph with_definitions(const ir::Graph& graph);

/// The same, and products of stacks with one leading dimension. Where all of a group multiply by the same
/// matrix, which the model repeats, it is not repeated: their rows stand below each other. Keys of grouped
/// queries (Ainslie et al. 2023) are so repeated; that query heads of a group become rows of one product is
/// what kernels for decoding do by hand (FlashAttention, FlashInfer). Here it is stated in the graph: what is
/// elementwise, a softmax or a sum along rows stays so until something else reads it.
ir::Graph restated(const ir::Graph& graph);

}  // namespace isomer::mugraph
