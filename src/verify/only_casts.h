// Programs in which nothing but casts rounds, or one operator after exact ones: what they compute is the same
// number on every machine and in every order, so that results may be told apart that a rounding decides.
#pragma once

#include "ir/graph.h"

namespace isomer::verify {

/// Whether elements of floats are moved, chosen, compared and cast, and no more. Operators without a meaning
/// are something else.
bool only_casts_round(const ir::Graph& graph);

/// Whether that holds, or no element goes through more than one operator that may round its result.
bool rounds_once(const ir::Graph& graph);

}  // namespace isomer::verify
