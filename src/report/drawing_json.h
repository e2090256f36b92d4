// A drawing as the pages' scripts read it (assets/graph.js).
#pragma once

#include "report/drawing.h"
#include "report/json_value.h"

namespace isomer::report {

/// Told apart as its nodes are: alone nothing is.
Json json_of(const Drawing& drawing);
/// Beside another one: what stands for each value there, and whether that is computed alike. A value that is
/// hidden on the other side has no twin there.
Json json_of(const Drawing& own, const Drawing& other, const std::vector<ir::ValueId>& twins,
             const std::vector<Correspondence::State>& states);

}  // namespace isomer::report
