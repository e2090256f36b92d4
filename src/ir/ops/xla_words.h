// XLA's operators in words that ONNX has (OpDef::older_words), for a program that is to be written as a
// model. Sizes are fixed. None of them where what a region computes is more than element by element, or the
// words would be too many.
//
// A sort by any comparator is a sort by rank: each element is held to each other one of its line. A reduction
// by a combiner halves: neighbours are combined in their order, which XLA leaves open, so that a combiner
// that is not associative may give something else. Functions that are exact near 0 stay so: the error of 1 +
// x is divided out (W. Kahan's way, in HP's calculators of the 1970s; Higham, "Accuracy and stability of
// numerical algorithms", 2002, section 1.14.1).
#pragma once

#include "ir/ops/composed.h"

namespace isomer::ir::ops {

ValueId sort_in_words(Builder& builder, const OpInstance& op, Values in);
ValueId reduce_in_words(Builder& builder, const OpInstance& op, Values in);
ValueId reduce_window_in_words(Builder& builder, const OpInstance& op, Values in);
ValueId dilated_pad_in_words(Builder& builder, const OpInstance& op, Values in);
ValueId dilated_conv_in_words(Builder& builder, const OpInstance& op, Values in);
ValueId dynamic_slice_in_words(Builder& builder, const OpInstance& op, Values in);
ValueId dynamic_update_slice_in_words(Builder& builder, const OpInstance& op, Values in);
/// Places in i64, which alone ONNX takes.
ValueId gather_nd_in_words(Builder& builder, const OpInstance& op, Values in);
ValueId scatter_nd_in_words(Builder& builder, const OpInstance& op, Values in);
/// How many of 64 bits are 1: sums of neighbouring bits, pairs, groups of four; the product adds up the bytes
/// (Warren, Hacker's Delight). In the steps that either algebra has: masked(x, mask), right(x, by),
/// multiplied(x, by), sum(x, y), difference(x, y).
template <class X, class Steps>
X counted_bits(const Steps& s, const X& x) {
  constexpr int64_t kPairs = 0x5555555555555555, kFours = 0x3333333333333333, kBytes = 0x0f0f0f0f0f0f0f0f;
  const X pairs = s.difference(x, s.masked(s.right(x, 1), kPairs));
  const X fours = s.sum(s.masked(pairs, kFours), s.masked(s.right(pairs, 2), kFours));
  const X bytes = s.masked(s.sum(fours, s.right(fours, 4)), kBytes);
  return s.right(s.multiplied(bytes, 0x0101010101010101), 56);
}

/// Of what goes element by element (xla_element_words.cpp), by name; none of others.
Expand element_in_words(std::string_view name);

}  // namespace isomer::ir::ops
