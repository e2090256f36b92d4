// Two runs of the main job beside each other, out of their records (`isomer optimize --record`): what came of
// each, how long each step took, and the rewrites that only one of them has. A page draws it
// (assets/comparison.js); which rows there are is said here, once for the page, the text and the JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/json_value.h"

namespace isomer::report {

struct RecordedRun {
  std::string name;  ///< of its file: its stem, or the path where stems are alike
  Json record;       ///< checked_record
};

/// What a file holds, if it is a record of the main job. Throws InputError.
Json checked_record(const std::string& path, const std::string& text);

/// Keys of a result that are compared.
std::vector<std::string> compared_keys();

/// "runs": names; "figures": {"what", "unit", "values", "differs"}; "steps": {"step", "seconds", "outcomes",
/// "differs": in how they ended}; "rules": {"rule", "counts", "differs"} of those that one applied more
/// often; "rewrites": of each run those that the other does not have, {"rule", "places", "before", "after"};
/// "common_rewrites": how many both have. Of two values each in the order of the runs; null: not known, or no
/// such step.
Json compared(const RecordedRun& a, const RecordedRun& b);

/// What is compared: "Two runs of m.onnx: all and fewer". Of this and of the page `comparison` is what
/// `compared` returns.
std::string comparison_title(const Json& comparison);

std::string comparison_html(const Json& comparison);

}  // namespace isomer::report
