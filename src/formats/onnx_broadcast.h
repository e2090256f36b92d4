// Broadcasting made explicit and implicit again. In our graphs pointwise operators take equal shapes and
// `broadcast` does the rest; ONNX's operators broadcast by themselves (numpy's rule, aligned to the right).
// The reader inserts, the writer absorbs wherever the remaining operands still force the full shape.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace isomer::formats {

/// The common shape, when it is certain for every value of the symbols.
std::optional<ir::Shape> common_shape(std::span<const ir::Shape> shapes);

/// Whether two sizes contradict each other: the shapes broadcast for no value of the symbols.
bool never_broadcast(std::span<const ir::Shape> shapes);

/// The value itself, or a `broadcast` of it; invalid when the operator refuses.
ir::ValueId broadcast_to(ir::Builder& builder, ir::ValueId value, const ir::Shape& shape);

/// The operands of `v` as ONNX can write them: broadcasts replaced by what they broadcast.
std::vector<ir::ValueId> absorb_broadcasts(const ir::Graph& graph, ir::ValueId v);

}  // namespace isomer::formats
