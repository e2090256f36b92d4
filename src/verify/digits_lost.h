// Two programs that are equal in exact arithmetic, of which one loses digits that the other keeps: a variance
// from sums of squares, a sum of what cancels. That no proof over a field sees, and no bound that is taken
// from how far the first program's results move: where it is the one that loses digits, they move far.
// Higham, Accuracy and Stability of Numerical Algorithms, sections 1.8 and 1.9 (the variance is his).
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "verify/equivalence.h"

namespace isomer::verify {

/// In words where it was seen; empty where it was not, or where the programs cannot be evaluated.
struct DigitsLost {
  std::string by_first, by_second;
  std::vector<eval::Tensor<double>> inputs;  ///< at which the first lost them, with `options.keep_inputs`
};
/// Tried on floats that hardly differ within a tensor (by 1 % to 0.01 %), around numbers from 1 to 1e4: every
/// scalar step in float32, every result rounded to its type, against the first program in double precision.
/// An error counts that exceeds `options.tolerance` of an output's largest element, and 64 times the other
/// program's, which is taken for one unit of float32 at least: a tolerance below 8e-6 changes nothing.
DigitsLost digits_lost(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options = {});

}  // namespace isomer::verify
