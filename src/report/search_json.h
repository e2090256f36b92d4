// A search's record as JSON, with its e-graphs laid out: for the page, and for benches that keep it.
#pragma once

#include <string>

#include "support/search_record.h"

namespace isomer::report {

/// One object: start_cost, start_nodes, steps, tree, first, last. An e-graph is {operators, boxes: [x, y,
/// columns, rows] by class, nodes: [class, operator, picked, children...], left_out}.
std::string to_json(const SearchRecord& record);

}  // namespace isomer::report
