// Bounds on the elements of a tensor, for the promise that what is finite stays finite
// (FloatPromise::kFinite).
//
// The promise speaks of programs in which every float that is computed lies between `ordinary(dtype)` in
// size, or is zero: 2^-100 to 2^100 in f32 and bf16, 2^-10 to 2^12 in f16. Beyond, what a rule puts between
// its operands and its result may be larger than both: (x a) y => (x y) a has x y in it, which is 1/a times
// the result. Such values are bounded from what they are computed of, and backwards from the result that is
// known to be ordinary; where that is not within what the type holds, or does underflow, the rule is not
// applied. Sums that a product or a convolution adds up are taken to be kept in float32 for 16 bits.
//
// Bounds are rounded outward to powers of two, so that joins come to an end and equal ones are interned once.
#pragma once

#include <span>
#include <vector>

#include "ir/context.h"
#include "ir/op_table.h"

namespace isomer::rewrite {

/// Of all elements; what is not known is infinite.
struct FloatRange {
  double low, high;
  double least = 0;  ///< no element but zero is smaller in size; 0: not known

  FloatRange();
  FloatRange(double from, double to, double smallest = 0);
  double most() const;  ///< largest size
  bool bounded() const;
  bool operator==(const FloatRange&) const = default;
};

/// Both hold. Ranges that exclude each other give one that is not bounded.
FloatRange meet(const FloatRange& a, const FloatRange& b);
/// Outward to powers of two.
FloatRange rounded(const FloatRange& range);

ir::AttrId intern(ir::Context& ctx, const FloatRange& range);
/// Unknown for an invalid id.
FloatRange range_at(const ir::Context& ctx, ir::AttrId id);

/// What values of the program are promised to be like.
FloatRange ordinary(ir::DType dtype);
/// Sizes that the type holds at full precision: [smallest, largest], powers of two.
struct Sizes {
  double smallest, largest;
};
Sizes sizes_of(ir::DType dtype);
/// What sums of products of this type are kept in.
ir::DType sums_in(ir::DType dtype);

/// Ranges of results by ranges of operands.
class RangeRules {
 public:
  explicit RangeRules(const ir::OpTable& ops);

  struct Operand {
    ir::TypeId type;
    FloatRange range;
    bool is_weight = false;
  };
  /// Constants are looked at once each.
  FloatRange result(ir::Context& ctx, uint32_t op, std::span<const ir::AttrId> attributes,
                    std::span<const Operand> operands, ir::TypeId type);
  /// What is known of an operand if the result is in `range`; unknown where nothing is.
  FloatRange operand(uint32_t op, std::span<const Operand> operands, size_t which,
                     const FloatRange& range) const;
  /// The same numbers in other places: nothing can overflow.
  bool moves(uint32_t op) const;
  /// Adds up products or many elements.
  bool sums(uint32_t op) const;
  /// The difference of what may be nearly equal.
  bool cancels(uint32_t op) const;
  bool multiplies(uint32_t op) const;

 private:
  FloatRange constant(ir::Context& ctx, uint32_t id);

  std::vector<ir::RangeKind> kinds_;
  std::vector<std::pair<bool, FloatRange>> constants_;
};

}  // namespace isomer::rewrite
