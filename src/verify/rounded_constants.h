// Whether one program holds constants that were computed from the other's, and rounded on the way.
#pragma once

#include <set>

#include "ir/graph.h"

namespace isomer::verify {

/// Whether the graphs hold the same float constants of more than a few elements.
bool same_tensors_of_constants(const ir::Graph& a, const ir::Graph& b);
/// Element types of 16 bits of which the second graph holds constants that the first does not: rounded ones,
/// since the equality is one of real numbers.
std::set<ir::DType> rounded_types(const ir::Graph& a, const ir::Graph& b);
/// Whether the second graph holds a number, as a constant or an attribute of floats, that the first does not.
bool made_numbers(const ir::Graph& a, const ir::Graph& b);
/// Whether a float attribute of the second graph is beyond the element type that it is computed with, and the
/// first has no such number.
bool made_numbers_beyond_types(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::verify
