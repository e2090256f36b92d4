// What requests to the worker of ONNX Runtime and its answers have in common.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/onnxruntime.h"
#include "runtime/worker.h"

namespace isomer::runtime {

nlohmann::json to_json(const LoadOptions& options);
nlohmann::json to_json(const InputSpec& spec);
/// A tensor that the worker has written into its folder, or its strings.
NamedTensor take_over(const nlohmann::json& reference);
RequestOptions request_options(const Wait& wait);
/// Throws MissingRuntimeError for what is missing; the rest is a value.
Failure to_failure(const Reply& reply, const RuntimeKind& kind = kOnnxRuntime);

}  // namespace isomer::runtime
