// What convolutions and pooling share: kernels that slide over the spatial dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/onnx_spell.h"

namespace isomer::formats {

struct Windows {
  std::vector<int64_t> kernel, strides, dilations, pads;  ///< pads: begins, then ends
};

/// strides, dilations, pads and auto_pad of a node over the spatial dimensions of input 0; `kernel` has one
/// size a dimension. Fails (reader.failed()) when a list has another length, or when auto_pad meets unknown
/// sizes in steps of more than one.
Windows read_windows(NodeReader& reader, std::vector<int64_t> kernel);

}  // namespace isomer::formats
