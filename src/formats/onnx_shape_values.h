// Small integer tensors whose elements are sizes. Exporters write target shapes as little programs (Shape,
// Gather, Mul, Concat, ...); where the dimensions are known, or named, the reader computes what they give, so
// that Reshape, Expand, Slice and their like get their sizes as attributes.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace isomer::formats {

/// One element: an integer, or the size of a named dimension.
struct SizeValue {
  bool symbolic = false;
  int64_t number = 0;  ///< when not symbolic
  ir::SymbolId symbol;
  bool operator==(const SizeValue&) const = default;
};

/// Elements of an integer value of rank 0 or 1 and at most 64 elements; nullopt when they are not certain.
std::optional<std::vector<SizeValue>> size_values(const ir::Graph& graph, ir::ValueId value);

}  // namespace isomer::formats
