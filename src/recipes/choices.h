// The options of `optimize` that are words, as what they choose: read once, at the edge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/errors.h"

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
  kMeasured,    ///< on ONNX Runtime, operator by operator
  kCalibrated,  ///< a roofline of this machine
  kModel,       ///< a name of cost::make_cost_model
};
inline CostKind cost_kind(std::string_view word) {
  if (word == "auto") return CostKind::kAuto;
  if (word == "onnxruntime") return CostKind::kMeasured;
  if (word == "roofline:local") return CostKind::kCalibrated;
  return CostKind::kModel;
}

/// These throw UsageError for another word.
inline SearchKind search_kind(std::string_view word) {
  if (word == "saturation") return SearchKind::kSaturation;
  if (word == "portfolio") return SearchKind::kPortfolio;
  if (word == "mcts") return SearchKind::kMcts;
  throw UsageError("--search " + std::string(word) + ": expected saturation, mcts or portfolio");
}

/// Whether the result may hold operators that ONNX Runtime has of its own.
inline bool for_onnxruntime(std::string_view target) {
  if (target == "onnx" || target == "onnxruntime") return target != "onnx";
  throw UsageError("--target " + std::string(target) + ": expected onnx or onnxruntime");
}

}  // namespace isomer::recipes
