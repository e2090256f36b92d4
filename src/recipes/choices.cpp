#include "recipes/choices.h"

#include <span>
#include <string>

#include "cost/cost_model.h"
#include "runtime/onnxruntime.h"
#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::recipes {
namespace {

constexpr Choice<SearchKind> kSearches[] = {{"saturation", SearchKind::kSaturation},
                                            {"portfolio", SearchKind::kPortfolio},
                                            {"mcts", SearchKind::kMcts}};
constexpr Choice<Target> kTargets[] = {
    {"onnx", Target::kOnnx}, {"onnxruntime", Target::kOnnxRuntime}, {"openvino", Target::kOpenVino}};
constexpr Choice<FloatPromise> kPromises[] = {
    {"strict", FloatPromise::kStrict}, {"finite", FloatPromise::kFinite}, {"fast", FloatPromise::kFast}};

SearchKind search_kind(std::string_view word) {
  return choose<SearchKind>("--search", word, std::span<const Choice<SearchKind>>(kSearches));
}

Target target_of(std::string_view word) {
  return choose<Target>("--target", word, std::span<const Choice<Target>>(kTargets));
}

}  // namespace

CostSource cost_source(const std::string& name) {
  if (name == "auto") return {CostKind::kAuto, name};
  if (name == "roofline:local") return {CostKind::kCalibrated, name};
  for (const runtime::RuntimeKind* kind : {&runtime::kOnnxRuntime, &runtime::kOpenVino})
    if (name == kind->package) return {CostKind::kMeasured, name, kind};
  cost::make_cost_model(name);
  return {CostKind::kModel, name};
}

FloatPromise float_promise(std::string_view word) {
  return choose<FloatPromise>("--float", word, std::span<const Choice<FloatPromise>>(kPromises));
}

extract::Extractor extractor_of(std::string_view word) {
  if (const auto extractor = extract::extractor_from_name(word)) return *extractor;
  throw unknown_word("--extractor", word, words_of("--extractor"));
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

std::vector<std::string> words_of(std::string_view flag) {
  if (flag == "--search") return isomer::words_of(std::span<const Choice<SearchKind>>(kSearches));
  if (flag == "--target") return isomer::words_of(std::span<const Choice<Target>>(kTargets));
  if (flag == "--float") return isomer::words_of(std::span<const Choice<FloatPromise>>(kPromises));
  if (flag == "--extractor") {
    const std::vector<std::string_view> names = extract::extractor_names();
    return {names.begin(), names.end()};
  }
  return {};
}

Ways ways_of(const OptimizeOptions& options) {
  if (!options.provider.empty() && target_of(options.target) == Target::kOpenVino)
    throw UsageError("--provider names one of ONNX Runtime, which --target openvino does not run");
  return {search_kind(options.search), target_of(options.target), extractor_of(options.extractor),
          float_promise(options.float_promise), cost_source(options.cost)};
}

}  // namespace isomer::recipes
