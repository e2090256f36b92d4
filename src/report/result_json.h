// OptimizeResult, CompareResult, CompileResult (json_value.h) and RunRecord as JSON: the contract of `--json`
// and of `--record` (keys may be added, never renamed). Numbers that were not determined are null.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "support/run_record.h"

namespace isomer::report {

std::string to_json(const OptimizeResult& result);
std::string to_json(const CompareResult& result);
std::string to_json(const OptimizeResult& result, const RunRecord& record);

}  // namespace isomer::report
