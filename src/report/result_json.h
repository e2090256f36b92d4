// OptimizeResult, CompareResult and RunRecord as JSON: the contract of `--json` and of `--record` (keys may
// be added, never renamed). Numbers that were not determined are null.
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
/// "41 of 320 rules (12 opset below 23, ...)"; empty where none is left out.
std::string left_out(uint64_t used, const std::map<std::string, std::vector<std::string>>& others);
/// What a person reads on the terminal after `isomer optimize`.
std::string summary(const OptimizeResult& result);

}  // namespace isomer::report
