// How much work evaluating a graph is, and the degree of its outputs as rational functions: what the bound of
// Schwartz and Zippel needs.
#pragma once

#include <set>
#include <string>

#include "ir/graph.h"

namespace isomer::verify {

struct Analysis {
  double work = 0;         ///< scalar steps of a whole evaluation
  double float_work = 0;   ///< the same in double precision, where sums of products have a fast path
  double log2_degree = 0;  ///< of numerator plus denominator, the largest over all values; an upper bound
  bool integer_leaves =
      false;  ///< integers or bools that come from outside (inputs, weights, opaque operators) are used
  bool jumps = false;       ///< not continuous: something is compared, chosen, cut off or rounded on the way
  bool of_nothing = false;  ///< some value has no elements
  bool signs_of_zero = false;  ///< -0 and 0 may give different bools or integers; the field has one zero
  std::set<ir::DType> halves;  ///< of 16 bits, in which sums or products are kept after each step
  bool procedures = false;     ///< operators that only a whole evaluation evaluates
  std::string obstacle;  ///< why it cannot be evaluated at all (symbolic shapes of an output); empty: it can
};

/// Whether the type is a tensor of integers, or a tuple that holds one.
bool has_integers(const ir::Context& ctx, ir::TypeId id);
/// Whether an operator without a meaning gives integers: arbitrary ones here, which are no indices.
bool has_opaque_integers(const ir::Graph& graph);

/// `flat` as of meaning::flatten.
Analysis analyse(const ir::Graph& flat);
/// The larger float_work of two programs, which need not be flat.
double larger_float_work(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::verify
