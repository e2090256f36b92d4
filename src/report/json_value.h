// What is reported, as JSON that can be put into more of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "isomer/compile.h"
#include "isomer/isomer.h"
#include "support/run_record.h"
#include "support/search_record.h"

namespace isomer::report {

using Json = nlohmann::ordered_json;

/// Null for what is not finite: JSON has no such numbers.
Json number(double value);
/// As text. Names in models may hold any bytes, JSON is UTF-8: what is not is replaced. Negative: one line.
std::string text_of(const Json& json, int indent = -1);

Json json_of(const OptimizeResult& result);
Json json_of(const CompareResult& result);
Json json_of(const CompileResult& result);
/// `result` has the keys of the former; the rest is the record.
Json json_of(const OptimizeResult& result, const RunRecord& record);
Json json_of(const SearchRecord& search);

}  // namespace isomer::report
