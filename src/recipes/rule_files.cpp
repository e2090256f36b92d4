#include "recipes/rule_files.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "isomer/isomer.h"
#include "support/errors.h"
#include "support/installed.h"

namespace isomer::recipes {
namespace fs = std::filesystem;

std::string rules_folder() {
  const auto found = find_installed({"ISOMER_RULES", "share/isomer/rules", "rules"});
  if (!found)
    throw MissingRuntimeError(
        "the rule sets are not where they were installed; name their folder in ISOMER_RULES");
  if (!fs::is_directory(*found))
    throw MissingRuntimeError("ISOMER_RULES is " + *found + ", which is not a folder of rule sets");
  return *found;
}

namespace {

struct Conditional {
  const char* file;
  bool RuleNeeds::* needed;
  std::string reason;  ///< where it is not
};
const std::array<Conditional, 4>& conditional_files() {
  static const std::array<Conditional, 4> kFiles = {{
      {"/neighbours.rules", &RuleNeeds::measured, "costs are not measured"},
      {"/attention.rules", &RuleNeeds::attention, fmt::format("opset below {}", kFirstOpsetWithAttention)},
      {"/onnxruntime.rules", &RuleNeeds::contrib, kNotForOnnx},
      {"/layouts.rules", &RuleNeeds::layouts, "the cost knows no layouts"},
  }};
  return kFiles;
}

}  // namespace

std::vector<std::string> rule_files(const RuleNeeds& needs) {
  const std::string folder = rules_folder();
  std::vector<std::string> files = {folder + "/algebra.rules", folder + "/selection.rules",
                                    folder + "/less_work.rules", folder + "/spelling.rules"};
  for (const Conditional& c : conditional_files())
    if (needs.*c.needed) files.push_back(folder + c.file);
  return files;
}

std::vector<std::pair<std::string, std::string>> files_not_needed(const RuleNeeds& needs) {
  const std::string folder = rules_folder();
  std::vector<std::pair<std::string, std::string>> files;
  for (const Conditional& c : conditional_files())
    if (!(needs.*c.needed)) files.emplace_back(folder + c.file, c.reason);
  return files;
}

std::vector<std::string> default_rule_files() { return rule_files({}); }
std::vector<std::string> all_rule_files() { return rule_files({true, true, true, true}); }

}  // namespace isomer::recipes
