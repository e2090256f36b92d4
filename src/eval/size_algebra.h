// Arithmetic on sizes of which some are only named: an integer is a number or `factor * name + number`, and
// comparisons know that a named size is at least 0. What has no such form (products of two names, sums,
// quotients that leave a rest) gets a name of its own, the formula. Whatever is not certain for every value
// of the names is no element at all.
//
// Floats are numbers only, and only of operations that IEEE 754 rounds correctly: an exporter's
// Floor(Cast(size) * scale) must come out as the runtime's does, to the last bit.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include "ir/context.h"
#include "ir/scalar_expr.h"

namespace isomer::eval {

/// `factor` times a named size, plus `number`; a factor of 0: the integer `number`.
struct SizeValue {
  int64_t factor = 0;
  ir::SymbolId symbol;  ///< where factor is not 0
  int64_t number = 0;
  bool symbolic() const { return factor != 0; }
  bool operator==(const SizeValue&) const = default;
};

/// Not certain, an integer (bools are 0 and 1), a float.
using SizeElement = std::variant<std::monostate, SizeValue, double>;

inline SizeElement whole(int64_t number) { return SizeValue{0, {}, number}; }
inline bool is_certain(const SizeElement& e) { return e.index() != 0; }
/// The integer, when that is certain and no name is in it.
const int64_t* as_number(const SizeElement& e);

class SizeAlgebra {
 public:
  explicit SizeAlgebra(ir::Context& ctx) : ctx_(ctx) {}

  /// The size of a dimension; not certain when that is unknown.
  SizeElement size(ir::Dim dim) const;
  /// The dimension of that size, a new name where need be; unknown for a negative number.
  ir::Dim dim(const SizeValue& size);
  /// Whether two dimensions are the same in every run in which they broadcast together: min(s, n) and s are,
  /// for n > 1, since of two sizes that broadcast and differ one is 1. (A slice [0 : s] of a table of n
  /// rows.)
  bool same_if_broadcast(ir::Dim a, ir::Dim b) const;
  /// Whether the dimension is named as the smaller of a size and a number.
  bool is_minimum(ir::Dim d) const { return d.is_symbol() && minima_.contains(d.symbol().v); }

  /// A scalar operator of one, two or three operands (kRead, kVar and their like have none).
  SizeElement apply(ir::ScalarOp op, ir::DType dtype, const SizeElement& a, const SizeElement& b,
                    const SizeElement& c);
  /// What an element type keeps of the value.
  static SizeElement rounded(ir::DType dtype, const SizeElement& e);

 private:
  SizeElement integer(ir::ScalarOp op, const SizeValue& a, const SizeValue& b);
  SizeElement quotient(const SizeValue& a, const SizeValue& b);
  SizeElement product(const SizeValue& a, const SizeValue& b);
  SizeElement sum(const SizeValue& a, const SizeValue& b);
  SizeElement extreme(ir::ScalarOp op, const SizeValue& a, const SizeValue& b);
  SizeElement named(std::string formula);
  std::string text(const SizeValue& size) const;

  ir::Context& ctx_;
  std::unordered_map<uint32_t, SizeValue> meaning_;  ///< of names that dim() made
  /// Names of the smaller of a size and a number.
  std::unordered_map<uint32_t, std::pair<SizeValue, int64_t>> minima_;
};

}  // namespace isomer::eval
