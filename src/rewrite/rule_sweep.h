// A rule on integers that computes element by element, at all values that they may have.
#pragma once

#include <optional>

#include "rewrite/rule_apply.h"
#include "support/deadline.h"
#include "verify/every_value.h"

namespace isomer::rewrite {

/// Whether all its tensors hold integers or bools, or are constants, and some are more than a single number.
bool is_of_integers(const ir::Context& ctx, const Instance& instance);

/// The same instance with a row of all values in the place of its largest shape; nothing where it does not
/// fit the rule, or has tensors of other shapes that are no single numbers.
std::optional<Instance> spread(ir::Context& ctx, const CompiledRule& rule, const Instance& instance);

/// Both sides there (verify/every_value.h). Nothing compared: the instance cannot be spread, or its sides
/// join several elements.
verify::EveryValue sweep(ir::Context& ctx, const CompiledRule& rule, const Instance& instance,
                         const Deadline& until = {});

}  // namespace isomer::rewrite
