// What a node "constant" holds: its attribute is a number of the context's.
#pragma once

#include "ir/graph.h"

namespace isomer::ir {

ConstantId constant_id(const Graph& graph, ValueId v);
const Constant& constant_of(const Graph& graph, ValueId v);

}  // namespace isomer::ir
