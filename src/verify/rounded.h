// Programs that compute in float16 or bfloat16, with the result of every operator rounded to its type.
// Runtimes for CPUs compute these in float32 inside, so that an order of operations that overflows, or loses
// what is added, shows nowhere else; equality in exact arithmetic says nothing of it.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "verify/equivalence.h"

namespace isomer::verify {

/// What was seen, in words; both are empty where nothing was, where neither program computes in such a type,
/// or where they cannot be evaluated.
struct Rounding {
  /// At inputs on which the first program stays finite: the second one does not, or an element is off by a
  /// quarter of itself and by a twentieth of the output's usual size (beyond ordinary inputs only where the
  /// second one overflows on its way). Where nothing but casts rounds: integers and bools that differ,
  /// and what the first one alone makes infinite.
  std::string different;
  /// The first program leaves the range of its types, the second one does not: nothing can be concluded,
  /// unless nothing but casts rounds.
  std::string first_overflows;
  /// At which that was seen, with `keep_inputs`: the difference, or, where there is none, what overflows.
  std::vector<eval::Tensor<double>> inputs;
};

/// Whether any value is of such a type.
bool computes_in_16_bits(const ir::Graph& graph);

/// Tried at ordinary inputs, at those of all sizes, in the hundreds (nearly equal ones where nothing but
/// casts rounds), at tensors of one number, and integers at the ends of their types.
Rounding when_rounded(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options = {});

}  // namespace isomer::verify
