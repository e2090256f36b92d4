#pragma once

#include <string>

#include "ir/graph.h"

namespace isomer::verify {

/// What differs between the inputs and outputs of two graphs of one context, by position: their number or
/// types, layouts apart; empty when nothing does.
std::string signature_difference(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::verify
