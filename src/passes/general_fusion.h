// Fusion without heuristics: HloEnv's GeneralFusion (section 5.2), which stands in the place of XLA's fusion
// pipeline and leaves every decision to an agent. Any producer goes into any consumer of it, as far as both
// can stand in a loop; a producer that others need too is computed twice.
#pragma once

#include <memory>

#include "passes/pass.h"

namespace isomer::passes {

/// "general-fusion".
std::shared_ptr<const Pass> general_fusion();

}  // namespace isomer::passes
