// Random sub-graphs of a module, as modules of their own: what HloEnv's data sets of 10 to 20 and of 20 to 40
// instructions consist of (section 5.1). The paper says only that a tool walks over a graph and extracts
// sub-graphs of so many instructions; this is ours:
//
// An instruction is drawn, and what it is computed from is taken in, one instruction after another, each
// drawn among those at the border, until a number is reached that was drawn from the range. What stays at the
// border becomes a parameter, constants come along. Parameters and constants count; what reductions and such
// combine by (their computations) does not. Loops, calls, custom calls, fusions, collectives and what has an
// effect are never taken in, values that are no arrays are no parameters.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/module.h"
#include "support/rng.h"

namespace isomer::passes {

/// Both counts are those of instructions in the entry computation, and belong to the range.
struct SubgraphSize {
  uint32_t least = 10, most = 20;
};

/// One of the entry computation; nothing where what was drawn has no sub-graph of such a size. Calls are
/// best inlined before. Equal instructions are written once.
std::optional<hlo::Module> random_subgraph(const hlo::Module& module, SubgraphSize size, Rng& rng);

}  // namespace isomer::passes
