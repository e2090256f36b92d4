// Index expressions as affine forms: sum of coefficient * variable + constant, with the range of values over
// the loop extents. Floor division and remainder disappear where the ranges show that they can (the group
// number of a convolution with one group, reshape's digits of a product of extents), so that most reads are
// affine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/index_map.h"

namespace isomer::meaning {

struct Affine {
  int64_t constant = 0;
  std::vector<std::pair<int, int64_t>> terms;  ///< (variable, non-zero coefficient), variables ascending

  int64_t at(std::span<const int64_t> vars) const {
    int64_t value = constant;
    for (const auto& [var, factor] : terms) value += factor * vars[static_cast<size_t>(var)];
    return value;
  }
  int64_t coefficient(int var) const;
  void add(const Affine& other, int64_t factor);
  /// Smallest and largest value over 0 <= var < extents[var] (an empty extent counts as one point).
  std::pair<int64_t, int64_t> range(std::span<const int64_t> extents) const;
};

/// Nothing where the expression is not affine (or loads). `extents` of all variables, outputs' first.
std::optional<Affine> to_affine(const ir::IndexExpr& expr, std::span<const int64_t> extents);

}  // namespace isomer::meaning
