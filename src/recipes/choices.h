// The options that are words, as what they choose: read once, at the edge, after which nothing asks for the
// words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "extract/extract.h"
#include "isomer/isomer.h"
#include "problems/program_cost.h"
#include "support/float_promise.h"

namespace isomer::runtime {
struct RuntimeKind;
}

namespace isomer::recipes {

/// How the e-graph is grown after saturation (recipes/searching_on.h).
enum class SearchKind : uint8_t {
  kSaturation,  ///< not at all
  kPortfolio,   ///< where saturation did not come to its end
  kMcts,        ///< also where it did, unless nothing is left to be found
};

/// Where costs come from.
enum class CostKind : uint8_t {
  kAuto,        ///< measured where a runtime is installed
  kMeasured,    ///< on a runtime, operator by operator
  kCalibrated,  ///< a roofline of this machine
  kModel,       ///< a name of cost::make_cost_model
};

/// What the name of a cost stands for.
struct CostSource {
  CostKind kind = CostKind::kAuto;
  std::string name;                               ///< as it was given
  const runtime::RuntimeKind* runtime = nullptr;  ///< that it names, to be measured on

  /// Operator by operator, where a runtime is installed.
  bool is_measured() const { return kind == CostKind::kAuto || kind == CostKind::kMeasured; }
  /// On which runtime they are measured or calibrated, if they are: the one that is named, else `target`.
  const runtime::RuntimeKind& priced_on(const runtime::RuntimeKind& target) const {
    return runtime != nullptr ? *runtime : target;
  }
};
/// "onnxruntime", "openvino"; "auto"; "roofline:local"; else a name of cost::make_cost_model. Throws
/// UsageError for another.
CostSource cost_source(const std::string& name);

/// Whom the result is for: where it is timed and compared.
enum class Target : uint8_t {
  kOnnx,         ///< ONNX Runtime, but any other takes it as well
  kOnnxRuntime,  ///< it may hold operators that ONNX Runtime has of its own
  kOpenVino,
};

/// Whose rules an environment for learning has (recipes/learning.h).
enum class LearningRules : uint8_t { kTensat, kIsomer };

/// These throw UsageError for another word, which names the option.
FloatPromise float_promise(std::string_view word);           ///< strict, finite, fast
extract::Extractor extractor_of(std::string_view word);      ///< of `isomer extract --help`
LearningRules learning_rules(std::string_view word);         ///< tensat, isomer
problems::Extraction learning_extraction(std::string_view);  ///< corrected, published, tree, exact

/// The words that an option of fixed words takes; none for another option.
std::vector<std::string> words_of(std::string_view flag);

/// What the words of the main job's options choose.
struct Ways {
  SearchKind search;
  Target target;
  extract::Extractor extractor;
  FloatPromise floats;
  CostSource cost;
};
/// Throws UsageError. What the options default to is said there alone.
Ways ways_of(const OptimizeOptions& options);

}  // namespace isomer::recipes
