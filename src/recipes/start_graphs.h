// The start graphs of the papers' evaluations, NAME.dag.
#pragma once

#include <filesystem>

namespace isomer::recipes {

/// Where they are (support/installed.h; ISOMER_START_GRAPHS). Throws MissingRuntimeError where they are not.
std::filesystem::path start_graphs_folder();

}  // namespace isomer::recipes
