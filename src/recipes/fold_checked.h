// A program as it is written where nobody asks for more: weights folded, and the folding checked.
#pragma once

#include "ir/graph.h"
#include "support/deadline.h"

namespace isomer::recipes {

/// What would overflow, be NaN or vanish stays as it is. Throws VerificationError where folding went wrong.
ir::Graph fold_checked(const ir::Graph& graph, const Deadline& until = {});

}  // namespace isomer::recipes
