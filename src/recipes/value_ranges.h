// What the elements of a program's values can be, from what is known of its inputs: intervals, operator by
// operator (rewrite/float_range.h), wrapped as their types are, and round by round through a Scan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "rewrite/float_range.h"

namespace isomer::recipes {

/// By values. `inputs`: of the first ones of graph.inputs(), as far as they are known. `opset`: of the file,
/// for the bodies in it.
std::vector<rewrite::FloatRange> value_ranges(const ir::Graph& graph, int64_t opset,
                                              std::span<const rewrite::FloatRange> inputs = {});

}  // namespace isomer::recipes
