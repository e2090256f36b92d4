// Sizes that are asked for when the model runs: where dimensions have names, and an operator takes them as an
// input, nodes beside it compute that input of its operand's shape, or of the shapes of the model's inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/onnx_spell.h"

namespace isomer::formats {

/// `number`, or `times` a dimension divided by `over`: the operand's at `axis`, or that of this name of an
/// input. Or a formula over names of which each is such a dimension.
struct RunTimeSize {
  int64_t number = 0;
  std::optional<int64_t> axis = {};
  std::optional<ir::SymbolId> of_input = {};
  int64_t times = 1, over = 1;
  std::optional<ir::Size> formula = {};
};

/// Of each dimension, where the dialect has the words; nothing where neither dimensions of `shape`, the
/// operand's, nor those of inputs say one.
std::optional<std::vector<RunTimeSize>> all_at_run_time(const ir::Context& ctx, const ir::Shape& shape,
                                                        const ir::Shape& sizes, const Dialect& dialect);
/// Name of a list of integers, of the first operand's shape, if there is one.
std::string write_sizes(NodeWriter& w, std::span<const RunTimeSize> sizes);

}  // namespace isomer::formats
