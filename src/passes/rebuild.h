// A module anew from the instructions that its result needs.
#pragma once

#include <vector>

#include "hlo/module.h"

namespace isomer::passes {

/// Whether it has an effect by itself, whatever it calls.
bool acts(const hlo::Module& module, hlo::InstructionId id);

/// The instructions on a cycle of operands, where `instead[i]`, if valid, stands for instruction i wherever
/// it is used (also where it is the value of another); empty: none. Replacements may be replaced themselves.
std::vector<hlo::InstructionId> find_cycle(const hlo::Module& module,
                                           std::span<const hlo::InstructionId> instead);

/// The module with these replacements and without what neither the entry's result nor an effect needs.
/// Parameters stay. Instructions stand in the order of a walk from the roots over operands; names stay where
/// they were, new instructions get names of their own.
hlo::Module rebuilt(const hlo::Module& module, std::span<const hlo::InstructionId> instead);

}  // namespace isomer::passes
