// Programs that compute in float16 or bfloat16, with every result rounded to its type. Runtimes for CPUs
// compute these in float32 inside, so that an order of operations that overflows, or loses what is added,
// shows nowhere else; equality in exact arithmetic says nothing of it.
#pragma once

#include <string>

#include "ir/graph.h"
#include "verify/equivalence.h"

namespace isomer::verify {

/// What differs, in words, at inputs on which the first program stays finite: the second one does not, or an
/// element is off by a quarter of itself and by a twentieth of the output's usual size. Empty where nothing
/// does, where neither program computes in such a type, or where they cannot be evaluated.
std::string difference_when_rounded(const ir::Graph& a, const ir::Graph& b,
                                    const EquivalenceOptions& options = {});

}  // namespace isomer::verify
