// Small tensors whose elements are sizes. Exporters write target shapes as little programs (Shape, Gather,
// Mul, Equal, Where, Concat, ...). What these give is computed here from the operators' own meanings: the
// compiled loop nests of the interpreter, run over elements of which each is an integer, a formula over a
// named dimension, a float, or not certain (size_elements.h). So every operator that has a nest is
// understood, and a shape of which one dimension is not known still has its others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "eval/size_elements.h"
#include "ir/graph.h"

namespace isomer::eval {

/// Tensors with more elements are not looked at.
inline constexpr int64_t kMostSizeElements = 64;

/// Sizes as numbers, where each of them is one.
std::optional<std::vector<int64_t>> numbers_in(const std::optional<std::vector<ir::Size>>& sizes);

/// Of a graph that may grow while it is asked about. Each value is computed once.
class SizeValues {
 public:
  explicit SizeValues(const ir::Graph& graph) : graph_(graph) {}

  /// Elements in row-major order; none when nothing is known of any.
  std::span<const SizeElement> of(ir::ValueId v);
  /// Elements of an integer value; nullopt when one is not certain.
  std::optional<std::vector<ir::Size>> integers(ir::ValueId v);
  /// The only element of an integer value, where it is a certain number.
  std::optional<int64_t> number(ir::ValueId v);

 private:
  using Elements = std::vector<SizeElement>;
  using Tensors = std::vector<Elements>;  ///< one; of a tuple one an element; none: nothing is known

  Tensors compute(ir::ValueId v);
  Elements constant(ir::ValueId v) const;
  Elements dimensions(ir::ValueId v) const;
  Tensors nests(ir::ValueId v);

  const ir::Graph& graph_;
  std::vector<Tensors> known_;  ///< of the values looked at so far, the first ones of the graph
};

}  // namespace isomer::eval
