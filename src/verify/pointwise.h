// Programs each of whose elements is computed from single elements of the inputs.
#pragma once

#include "ir/graph.h"

namespace isomer::verify {

/// Whether nothing is summed up or otherwise joined along an axis: what such a program makes of an infinity
/// is its function's value there, whatever the order of its terms. Operators without a meaning are none.
bool is_pointwise(const ir::Graph& graph);

}  // namespace isomer::verify
