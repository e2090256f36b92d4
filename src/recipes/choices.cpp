#include "recipes/choices.h"

#include <array>
#include <string>

#include "support/unknown_word.h"

namespace isomer::recipes {
namespace {

SearchKind search_kind(std::string_view word) {
  return choose<SearchKind>("--search", word,
                            {{"saturation", SearchKind::kSaturation},
                             {"portfolio", SearchKind::kPortfolio},
                             {"mcts", SearchKind::kMcts}});
}

bool for_onnxruntime(std::string_view target) {
  return choose<bool>("--target", target, {{"onnx", false}, {"onnxruntime", true}});
}

}  // namespace

CostKind cost_kind(std::string_view word) {
  if (word == "auto") return CostKind::kAuto;
  if (word == "onnxruntime") return CostKind::kMeasured;
  if (word == "roofline:local") return CostKind::kCalibrated;
  return CostKind::kModel;
}

FloatPromise float_promise(std::string_view word) {
  if (const auto promise = parse_float_promise(word)) return *promise;
  throw unknown_word("--float", word, std::array<std::string, 3>{"strict", "finite", "fast"});
}

extract::Extractor extractor_of(std::string_view word) {
  if (const auto extractor = extract::extractor_from_name(word)) return *extractor;
  const std::vector<std::string_view> names = extract::extractor_names();
  throw unknown_word("--extractor", word, std::vector<std::string>(names.begin(), names.end()));
}

LearningRules learning_rules(std::string_view word) {
  return choose<LearningRules>("rules", word,
                               {{"tensat", LearningRules::kTensat}, {"isomer", LearningRules::kIsomer}});
}

problems::Extraction learning_extraction(std::string_view word) {
  return choose<problems::Extraction>("extraction", word,
                                      {{"corrected", problems::Extraction::kSharingCorrected},
                                       {"published", problems::Extraction::kSharing},
                                       {"tree", problems::Extraction::kTree},
                                       {"exact", problems::Extraction::kExact}});
}

Ways ways_of(const OptimizeOptions& options) {
  return {search_kind(options.search), for_onnxruntime(options.target), extractor_of(options.extractor),
          float_promise(options.float_promise)};
}

}  // namespace isomer::recipes
