// Integers behind floats (a root cut to an integer, a comparison) that two programs have apart. Double
// precision rounds where a cast says so, and at no other step; what jumps may jump there though it does so
// neither in exact arithmetic nor where every result is rounded to its type, as ONNX has it.
#pragma once

#include <span>

#include "eval/tensor.h"
#include "ir/graph.h"
#include "support/deadline.h"
#include "verify/random_leaves.h"

namespace isomer::verify {

/// Whether some operator rounds a number to a type of floats that does not hold it: else there is one
/// arithmetic.
bool casts_round(const ir::Graph& graph);

/// Whether an output's integers are apart, in double precision with nothing rounded or with every result
/// rounded; true where an element of either has no value there, or they cannot be evaluated.
bool integers_part(const ir::Graph& a, const ir::Graph& b, std::span<const eval::Value<double>> inputs,
                   const Deadline& until);
/// On what a draw gives the inputs; true where it is too large to keep.
bool integers_part(const ir::Graph& a, const ir::Graph& b, const Draw& draw, const Deadline& until);

}  // namespace isomer::verify
