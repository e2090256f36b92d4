// The names of a model's dynamic dimensions, as OnnxReadOptions::dims takes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace onnx {
class ValueInfoProto;
}

namespace isomer::formats {

struct OnnxDims {
  std::vector<std::string> of_inputs;  ///< each once, in their order; "x:0": the first of input x, unnamed
  std::vector<std::string> others;     ///< that only inner values and outputs have
};

/// Throws InputError for what is no ONNX file.
OnnxDims list_onnx_dims(const std::string& path);
/// The file with these sizes declared for its inputs, and nothing else changed, as one message. Throws
/// InputError.
std::string with_declared_sizes(const std::string& path, const std::map<std::string, int64_t>& dims);

/// Gives the dimensions of an input the sizes that `dims` has for them, by their names or, unnamed ones, by
/// "x:0".
void fix_input(onnx::ValueInfoProto& input, const std::map<std::string, int64_t>& dims);

}  // namespace isomer::formats
