// How large a program is, in the numbers that a result tells.
#pragma once

#include <cstdint>

#include "cost/sized.h"
#include "eval/fold.h"
#include "ir/graph.h"
#include "isomer/isomer.h"

namespace isomer::recipes {

struct ProgramSize {
  int64_t operators = 0;  ///< leaves not counted
  int64_t macs = 0;       ///< multiply-accumulates of products and convolutions; -1: symbolic sizes
  uint64_t weight_bytes = 0;
};

ProgramSize size_of(const ir::Graph& graph);
/// Operators that have no meaning here, by the name that the model's format calls them.
Counts opaque_operators(const ir::Graph& graph);
/// Of what folding would leave of it; multiply-accumulates at these sizes of its symbols.
ProgramSize size_of(const ir::Graph& graph, const eval::FoldPlan& plan, const cost::SymbolSizes& sizes = {});

}  // namespace isomer::recipes
