#include "recipes/start_graphs.h"

#include "support/errors.h"
#include "support/installed.h"

namespace isomer::recipes {

std::filesystem::path start_graphs_folder() {
  const auto found =
      find_installed({"ISOMER_START_GRAPHS", "share/isomer/start_graphs", "tests/data/tensat/models/dag"});
  if (!found)
    throw MissingRuntimeError(
        "the start graphs are not where they were installed; name their folder in ISOMER_START_GRAPHS");
  return *found;
}

}  // namespace isomer::recipes
