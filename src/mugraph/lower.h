// A muGraph as a plain graph of tensor operators: what it computes, without blocks. Every tile becomes one
// tensor over all blocks and iterations: imap and fmap are a reshape and a transpose (or a broadcast where
// every block has the whole), accumulators reduce the loop dimensions, omap transposes back. It is the
// faithful conversion: whatever knows graphs (evaluation, verification, abstract expressions, cost) applies.
#pragma once

#include "ir/graph.h"
#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// `graph` must pass check_spec. Elements are `dtype`; inputs are named x0, x1, ...
ir::Graph lower(ir::Context& ctx, const MuGraph& graph, ir::DType dtype = ir::DType::kF32);

}  // namespace isomer::mugraph
