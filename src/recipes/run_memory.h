// What a runtime holds of a program while it runs it, as far as the program alone tells.
#pragma once

#include <cstdint>

#include "cost/sized.h"
#include "ir/graph.h"

namespace isomer::recipes {

struct RunMemory {
  /// What is computed with and hangs on no input: constants, and what operators make of constants, or of
  /// nothing, when the runtime loads the program.
  uint64_t weight_bytes = 0;
  uint64_t computed_bytes = 0;  ///< the most that is computed and needed at one time
};

/// At these sizes of its symbols; a tensor of unknown size counts nothing.
RunMemory memory_of_run(const ir::Graph& graph, const cost::SymbolSizes& sizes);

}  // namespace isomer::recipes
