// A program of ours as one that TASO's rules speak of: products of matrices become TASO's (with reshapes
// round those of more dimensions), and what is known at compile time becomes a weight, as in the start graphs
// of TASO and TENSAT. Operators that their language lacks (softmax, normalisation, gather) stay as they are:
// rules pass them by.
#pragma once

#include <string>

#include "ir/graph.h"

namespace isomer::recipes {

/// Only types and structure are kept, weights lose their contents: for searching and pricing, not for
/// writing. A program in TASO's language is returned as it is.
ir::Graph in_taso_language(const ir::Graph& graph);

/// The operator of its language that TASO takes for free: a concatenation is made where its parts are.
std::string free_in_taso();

/// Only the second half of that: what is known at compile time becomes weights.
ir::Graph weights_as_leaves(const ir::Graph& graph);

}  // namespace isomer::recipes
