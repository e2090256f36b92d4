// Sizes that are asked of an operand when the model runs: where dimensions have names, and an operator takes
// them as an input, nodes beside it compute that input of the operand's shape.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "formats/onnx_spell.h"

namespace isomer::formats {

/// `number`, or, where there is an axis, `times` the operand's dimension there, divided by `over`.
struct RunTimeSize {
  int64_t number = 0;
  std::optional<int64_t> axis = {};
  int64_t times = 1, over = 1;
};

/// Nothing where no dimension of `shape` says it.
std::optional<RunTimeSize> at_run_time(const ir::Context& ctx, const ir::Shape& shape, ir::Dim size);
/// Name of a list of integers, of the first operand's shape.
std::string write_sizes(NodeWriter& w, std::span<const RunTimeSize> sizes);

}  // namespace isomer::formats
