#include "recipes/start_graphs.h"

#include "recipes/rule_files.h"

namespace isomer::recipes {

std::filesystem::path start_graphs_folder() {
  return std::filesystem::path(rules_folder()).parent_path() / "tests/data/tensat/models/dag";
}

}  // namespace isomer::recipes
