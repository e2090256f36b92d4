// Numbers that the nodes of an ONNX file name, bodies of control flow included: where a program behaves
// otherwise than elsewhere, one of them is often near.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace isomer::formats {

struct OnnxNumbers {
  std::set<double> floats;
  std::set<int64_t> integers;
};

/// Attributes, and tensors of at most four elements within attributes. Throws InputError for what is no ONNX
/// file.
OnnxNumbers list_onnx_numbers(const std::string& path);

}  // namespace isomer::formats
