// The machine that a report was made on, in words: figures mean little without it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace isomer::report {

/// "processor", "cores", "memory", "system"; what cannot be found out is left out.
std::vector<std::pair<std::string, std::string>> describe_machine();

}  // namespace isomer::report
