// The start graphs of the papers' evaluations, NAME.dag: those of the source tree.
#pragma once

#include <filesystem>

namespace isomer::recipes {

/// May not be there: an installed program has none.
std::filesystem::path start_graphs_folder();

}  // namespace isomer::recipes
