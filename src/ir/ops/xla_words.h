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
/// Of what goes element by element (xla_element_words.cpp), by name; none of others.
Expand element_in_words(std::string_view name);

}  // namespace isomer::ir::ops
