// A muGraph as a plain graph of tensor operators: what it computes, without blocks. Every kernel becomes what
// the operator `kernel` is defined to be (ir/kernel.h), in place.
#pragma once

#include "ir/graph.h"
#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// `graph` must pass check_spec. Elements are `dtype`; inputs are named x0, x1, ... `ctx` must be over the
/// declarations of the muGraph's operators.
ir::Graph lower(ir::Context& ctx, const MuGraph& graph, ir::DType dtype = ir::DType::kF32);

}  // namespace isomer::mugraph
