// How the range of an operator's result follows from the ranges of its operands, as far as it is used: which
// of a few kinds it is. What each makes of intervals is said once (rewrite/float_range.cpp).
#pragma once

#include <cstdint>

namespace isomer::ir {

enum class RangeKind : uint8_t {
  kUnknown,     ///< nothing follows
  kConstant,    ///< of the contents
  kWeight,      ///< contents that come later: ordinary ones
  kMove,        ///< the operand's elements, all of them
  kPart,        ///< some of them
  kMoveOrZero,  ///< some, and zeros
  kUnion,       ///< all elements of all operands
  kGather,      ///< elements of the first operand, chosen by the second
  kWhere,       ///< elements of the last two operands
  kAdd,         ///< and, to kPower: that function of elements
  kSub,
  kMul,
  kDiv,
  kNeg,
  kAbs,
  kReciprocal,
  kRelu,
  kClip,
  kExp,
  kLog,
  kSqrt,
  kMin,
  kMax,
  kCast,
  kPower,
  kUnit,         ///< between 0 and 1
  kSine,         ///< between -1 and 1
  kNotNegative,  ///< from 0 to 1 above the operand
  kNotPositive,
  kNarrow,       ///< no larger than the operand, or than 1
  kHundredfold,  ///< sums of some elements with factors, at most a hundred times as large as the operand
  kSum,          ///< of elements of the operand
  kMean,
  kPlace,        ///< a place along attribute 0, a dimension of the operand
  kMasked,       ///< of integers, the binary digits that both have
  kRemainder,    ///< with the divisor's sign, or with attribute 0 not zero the dividend's
  kProduct,      ///< sums of products along an inner dimension
  kConvolution,  ///< sums of products with the weights of an output channel
};

}  // namespace isomer::ir
