// Result types of nodes that stay opaque because their shapes are only partly known, or may not be what an
// operator of ours wants: what can be said of each dimension is said, so that the next nodes can still be
// translated. A dimension of which nothing can be said is unknown.
#pragma once

#include <vector>

#include "formats/onnx_spell.h"

namespace isomer::formats {

/// The dimension 1 of `shape` that a reshape of `from` leaves open; unknown where that is not certain.
ir::Dim left_open(NodeReader& node, const ir::Shape& from, const ir::Shape& shape);
/// One type an output; none where there is no rule for the operator, or its inputs say too little.
std::vector<ir::TypeId> computed_shape_types(NodeReader& node);

}  // namespace isomer::formats
