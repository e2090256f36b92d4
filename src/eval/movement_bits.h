// Movement of constants by copying bits, for any element type: the nest is run over a domain whose numbers
// are places, so that it says for each output element where it comes from.
#pragma once

#include <span>
#include <vector>

#include "ir/graph.h"
#include "support/deadline.h"

namespace isomer::eval {

/// The outputs (one; several for a tuple) of a movement operator on constants. Throws InputError for reads
/// out of bounds, EvaluationCut once the deadline has passed.
std::vector<ir::Constant> move_bits(const ir::Graph& graph, ir::ValueId v,
                                    std::span<const ir::Constant> operands, const Deadline& until = {});

}  // namespace isomer::eval
