// Common subexpressions: an instruction that computes what an earlier one of its computation computes may be
// that one ("cse", as XLA names it).
#pragma once

#include <memory>

#include "passes/pass.h"

namespace isomer::passes {

std::shared_ptr<const Pass> common_subexpressions();

}  // namespace isomer::passes
