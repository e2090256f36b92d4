#include "recipes/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "support/errors.h"

namespace isomer::recipes {
namespace {

SearchKind search_kind(std::string_view word) {
  if (word == "saturation") return SearchKind::kSaturation;
  if (word == "portfolio") return SearchKind::kPortfolio;
  if (word == "mcts") return SearchKind::kMcts;
  throw UsageError(fmt::format("--search {}: expected saturation, mcts or portfolio", word));
}

bool for_onnxruntime(std::string_view target) {
  if (target == "onnx" || target == "onnxruntime") return target != "onnx";
  throw UsageError(fmt::format("--target {}: expected onnx or onnxruntime", target));
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
  throw UsageError(fmt::format("--float {}: expected strict, finite or fast", word));
}

extract::Extractor extractor_of(std::string_view word) {
  if (const auto extractor = extract::extractor_from_name(word)) return *extractor;
  throw UsageError(
      fmt::format("--extractor {}: expected one of {}", word, fmt::join(extract::extractor_names(), ", ")));
}

LearningRules learning_rules(std::string_view word) {
  if (word == "tensat") return LearningRules::kTensat;
  if (word == "isomer") return LearningRules::kIsomer;
  throw UsageError(fmt::format("rules {}: expected tensat or isomer", word));
}

problems::Extraction learning_extraction(std::string_view word) {
  if (word == "corrected") return problems::Extraction::kSharingCorrected;
  if (word == "published") return problems::Extraction::kSharing;
  if (word == "tree") return problems::Extraction::kTree;
  if (word == "exact") return problems::Extraction::kExact;
  throw UsageError(fmt::format("extraction {}: expected corrected, published, tree or exact", word));
}

Ways ways_of(const OptimizeOptions& options) {
  return {search_kind(options.search), for_onnxruntime(options.target), extractor_of(options.extractor),
          float_promise(options.float_promise)};
}

}  // namespace isomer::recipes
