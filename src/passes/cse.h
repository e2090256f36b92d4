// Common subexpressions: an instruction that computes what an earlier one of its computation computes may be
// that one ("cse", as XLA names it).
#pragma once

#include <memory>

#include "passes/pass.h"

namespace isomer::passes {

std::shared_ptr<const Pass> common_subexpressions();

/// Whether it may be one with an instruction that looks the same. Not what has effects, an order or a
/// channel, and not a constant whose elements are left out: nobody knows them.
bool may_be_merged(const Module& module, InstructionId id);

}  // namespace isomer::passes
