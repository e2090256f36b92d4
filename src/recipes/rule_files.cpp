#include "recipes/rule_files.h"

#include <cstdlib>
#include <filesystem>

#include "support/errors.h"

namespace isomer::recipes {
namespace fs = std::filesystem;

std::string rules_folder() {
  std::vector<fs::path> places;
  if (const char* named = std::getenv("ISOMER_RULES")) places.emplace_back(named);
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) places.push_back(program.parent_path().parent_path() / "share/isomer/rules");
  places.emplace_back(ISOMER_DEFAULT_RULES);
  for (const fs::path& place : places)
    if (fs::is_directory(place, ignored)) return place.string();
  throw MissingRuntimeError(
      "the rule sets are not where they were installed; name their folder in ISOMER_RULES");
}

std::vector<std::string> rule_files(const RuleNeeds& needs) {
  const std::string folder = rules_folder();
  std::vector<std::string> files = {folder + "/algebra.rules", folder + "/selection.rules",
                                    folder + "/less_work.rules", folder + "/spelling.rules"};
  if (needs.measured) files.push_back(folder + "/neighbours.rules");
  if (needs.attention) files.push_back(folder + "/attention.rules");
  if (needs.contrib) files.push_back(folder + "/onnxruntime.rules");
  if (needs.layouts) files.push_back(folder + "/layouts.rules");
  return files;
}

std::vector<std::string> default_rule_files() { return rule_files({}); }
std::vector<std::string> all_rule_files() { return rule_files({true, true, true, true}); }

}  // namespace isomer::recipes
