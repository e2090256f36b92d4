// Where the shipped rule sets are: the folder named by ISOMER_RULES, else that of the installation or source
// tree.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace isomer::recipes {

/// Throws MissingRuntimeError when there is no such folder.
std::string rules_folder();
/// The rule sets that always hold on ONNX models.
std::vector<std::string> default_rule_files();
/// All that are shipped for ONNX models, those included that only some outputs or costs ask for.
std::vector<std::string> all_rule_files();

/// Which of the shipped rule sets a run needs.
struct RuleNeeds {
  bool measured = false;   ///< costs are measured, so that it shows what a runtime does with neighbours
  bool attention = false;  ///< the output may name attention and rotary embedding
  bool contrib = false;    ///< and ONNX Runtime's own operators
  bool layouts = false;    ///< data layouts are alternatives
};
std::vector<std::string> rule_files(const RuleNeeds& needs);
/// The others that are shipped for ONNX models, and why each is not needed.
std::vector<std::pair<std::string, std::string>> files_not_needed(const RuleNeeds& needs);

/// The first operator set of ONNX that names attention and rotary embedding.
constexpr int64_t kFirstOpsetWithAttention = 23;

}  // namespace isomer::recipes
