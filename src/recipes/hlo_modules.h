// The HLO modules that come with Isomer: those that its tests read, dumps of public programs and of small jax
// functions.
#pragma once

#include <string>
#include <vector>

namespace isomer::recipes {

/// Their folders (support/installed.h; ISOMER_HLO_MODULES). Throws MissingRuntimeError where they are not.
std::vector<std::string> hlo_modules_of_isomer();

}  // namespace isomer::recipes
