// What a rule's conditions define is set to what they say: drawn by chance, numbers hardly ever meet an
// equation.
#pragma once

#include "rewrite/rule_apply.h"
#include "rewrite/rule_relations.h"
#include "support/rng.h"

namespace isomer::rewrite {

/// Sets what equations among the rule's conditions define (`?r == [1, ?b * ?b]`, `dim(?x, 1) == 2 * ?b`,
/// `at(?p, 0) == ...`, a product or sum of such) to what they say, as far as that has a value; of `||` one
/// part, now and then. A bound (`splat(?c) <= 2 * ?a`) is seldom taken for an equation too: what it lets
/// through is decided there. Half of the time what hangs together with a size (`relations`) follows it.
void define(ir::Context& ctx, const CompiledRule& rule, const RuleRelations& relations, Rng& rng,
            Instance& instance);

}  // namespace isomer::rewrite
