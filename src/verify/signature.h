#pragma once

#include <string>

#include "ir/graph.h"

namespace isomer::verify {

/// What differs between the inputs and outputs of two graphs of one context, by position: their number or
/// types, layouts apart; empty when nothing does.
std::string signature_difference(const ir::Graph& a, const ir::Graph& b);

/// Of programs with named sizes: whether both have the same elements at all of them
/// (meaning/element_terms.h).
bool same_at_every_size(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::verify
