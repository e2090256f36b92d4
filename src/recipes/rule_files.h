// Where the shipped rule sets are: the folder named by ISOMER_RULES, else that of the installation or source
// tree.
#pragma once

#include <string>
#include <vector>

namespace isomer::recipes {

/// Throws MissingRuntimeError when there is no such folder.
std::string rules_folder();
/// The rule sets of the main job on ONNX models.
std::vector<std::string> default_rule_files();

}  // namespace isomer::recipes
