// A bench of many models as one page: a row a model, a column for each search, cost and target, the gain in
// each cell, and what is known of a cell where it is clicked (assets/bench.js).
#pragma once

#include <string>

#include "report/json_value.h"

namespace isomer::report {

/// `bench`: "runs" (lines of the record, with "page": where its report is, or null), "missing" (cells that
/// did not end: their keys) and "summaries".
std::string bench_html(const std::string& title, const Json& bench);

}  // namespace isomer::report
