// Two programs reduced to where they differ: terms that both contain become inputs.
#pragma once

#include <optional>
#include <utility>

#include "ir/graph.h"

namespace isomer::verify {

/// The same two graphs with their common terms (the outermost, constants and what depends on constants alone
/// excepted) as inputs, in the same order. Nothing when they share no more than their inputs.
std::optional<std::pair<ir::Graph, ir::Graph>> cut_shared(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::verify
