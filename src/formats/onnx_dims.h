// The names of a model's dynamic dimensions, as OnnxReadOptions::dims takes them.
#pragma once

#include <string>
#include <vector>

namespace isomer::formats {

struct OnnxDims {
  std::vector<std::string> of_inputs;  ///< each once, in their order; "x:0": the first of input x, unnamed
  std::vector<std::string> others;     ///< that only inner values and outputs have
};

/// Throws InputError for what is no ONNX file.
OnnxDims list_onnx_dims(const std::string& path);

}  // namespace isomer::formats
