// Instructions that may be computed together: alike, and none needs another. What merges them states an
// alternative for each; taken by some alone it is still right.
#pragma once

#include <functional>
#include <vector>

#include "passes/alternatives.h"

namespace isomer::passes {

/// Whether an instruction of the module is computed from another, or after it.
bool needs(const Module& module, InstructionId id, InstructionId other);

/// `candidates` in the order of the module, split into groups of two or more of which each is `alike` its
/// first and needs no other of its group. An instruction stands in one group at most.
std::vector<std::vector<InstructionId>> groups(
    const Module& module, std::span<const InstructionId> candidates,
    const std::function<bool(InstructionId first, InstructionId other)>& alike);

}  // namespace isomer::passes
