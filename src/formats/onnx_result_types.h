// Result types of nodes that stay opaque, so that what follows them can still be translated. A size that
// depends on a named dimension by a formula is a dimension named by that formula: equal names are equal
// sizes.
#pragma once

#include <vector>

#include "formats/onnx_spell.h"

namespace isomer::formats {

/// One type an output; invalid where there is no rule for the operator, or its inputs say too little.
std::vector<ir::TypeId> result_types(NodeReader& node);

}  // namespace isomer::formats
