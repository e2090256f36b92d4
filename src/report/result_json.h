// OptimizeResult, CompareResult and RunRecord as JSON: the contract of `--json` and of `--record` (keys may
// be added, never renamed). Numbers that were not determined are null.
#pragma once

#include <string>

#include "isomer/isomer.h"
#include "support/run_record.h"

namespace isomer::report {

std::string to_json(const OptimizeResult& result);
std::string to_json(const CompareResult& result);
std::string to_json(const OptimizeResult& result, const RunRecord& record);
/// What a person reads on the terminal after `isomer optimize`.
std::string summary(const OptimizeResult& result);

}  // namespace isomer::report
