// Programs on integers, each of whose elements is computed from single ones, compared at all values of their
// inputs: of one byte all 256, of two all pairs (of two single numbers 256); of wider integers all pairs of
// small ones and of the numbers where types end, of 16 bits every one, and every one to which a clip holds an
// input, if these are no more than 16 bits have (of a single number no more than 8192, of more some). Of any
// number of inputs that types and clips leave few values all combinations, if these are no more than 2^17.
// What holds at none but -128 and -1 is met by no few draws.
#pragma once

#include <string>

#include "ir/graph.h"
#include "support/deadline.h"

namespace isomer::verify {

/// Elements that are evaluated at once: what the last axis of such programs' tensors should be.
inline constexpr int64_t kValuesAtOnce = 256;

struct EveryValue {
  /// Elements of outputs for which the first program has a value, those beside ones without a value more than
  /// once (where these are many and scattered, not all of those); 0: not all inputs were met.
  int64_t compared = 0;
  std::string difference;  ///< empty: none was seen
};

/// Both graphs of one context, with equal signatures, as is_pointwise says, and with integers and bools alone
/// as inputs. Nothing is compared where they are not that, or are too large. Where 16-bit floats occur every
/// result is rounded to its type; where more than one operator in a row may round, nothing is compared.
EveryValue compare_every_value(const ir::Graph& a, const ir::Graph& b, const Deadline& until = {});

}  // namespace isomer::verify
