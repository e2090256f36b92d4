// Places in tensors as polynomials: variables that run from 0 up to sizes, which may be only named, and what
// index expressions make of them. A division goes where extents show that it can. One that stays says which
// variable would have to be two for it to go: where a variable of h * d is divided by d it is d * (one of h)
// + (one of d), and to regroup takes no division.
//
// That dimensions are products of named factors is einops' way to write reshapes (Rogozhnikov 2022); getting
// indices back out of linear ones is Maslov's delinearization (1992). Ours reads the factors off the
// divisions that are left, over numbers and names alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/index_map.h"
#include "ir/size.h"

namespace isomer::meaning {

/// To be used within one case of named sizes (ir/size_case.h).
class Places {
 public:
  /// A new variable, from 0 up to below `extent`.
  ir::Size variable(const ir::Size& extent);
  /// What the expression, without loads, is where its variables are at these places.
  ir::Size at(const ir::IndexExpr& e, std::span<const ir::Size> vars);
  /// The largest or smallest value over the places of all variables.
  ir::Size extreme(const ir::Size& size, bool largest) const;

  /// The variable as two: inner * (one of extent / inner) + (one of inner).
  struct Split {
    size_t variable = 0;  ///< in the order in which they were made
    ir::Size inner;
  };
  /// What divisions by `at` that stayed ask for, at most one of a variable.
  const std::vector<Split>& wanted() const { return wanted_; }
  const ir::Size& extent(size_t variable) const { return extents_[variable]; }

 private:
  ir::Size quotient(const ir::Size& a, const ir::Size& b);
  void want(const ir::Size& rest, const ir::Size& divisor);
  std::optional<Split> split_of(const ir::Size::Term& term, const ir::Size& divisor) const;

  std::vector<ir::Size> extents_;
  std::vector<Split> wanted_;
};

/// Whether an extent of outer * inner is better taken as two: neither is known to be 0 or 1.
bool are_factors(const ir::Size& outer, const ir::Size& inner);

/// Of the case at hand: at every size of what is named there.
bool certainly(const ir::Size& size, uint8_t signs);

}  // namespace isomer::meaning
