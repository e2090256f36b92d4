// What a person reads on the terminal after `isomer optimize`: first plain sentences (what was gained, why,
// how it was checked, what stayed as it was and what may be tried), then the numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isomer/isomer.h"

namespace isomer::report {

std::string summary(const OptimizeResult& result);
/// Its first sentence: "The result runs 1.266 times as fast: 12.3 ms became 9.7 ms (...)".
std::string gained(const OptimizeResult& result);
/// "41 of 320 rules (12 opset below 23, ...)"; empty where none is left out.
std::string left_out(uint64_t used, const std::map<std::string, std::vector<std::string>>& others);

}  // namespace isomer::report
