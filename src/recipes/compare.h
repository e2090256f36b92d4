// Are two models the same function, and where do they part? First by structure (equal hashes prove it), then
// in the target runtime on the same inputs, then, where the programs are small, over the prime field, which
// proves. What is no ONNX model is compared in the interpreter.
#pragma once

#include <string>

#include "isomer/isomer.h"

namespace isomer::recipes {

/// Throws InputError for models that cannot be read, MissingRuntimeError when they differ in structure and no
/// runtime is there to run them.
CompareResult compare(const std::string& a, const std::string& b, const std::string& inputs, double tolerance,
                      uint64_t seed);

}  // namespace isomer::recipes
