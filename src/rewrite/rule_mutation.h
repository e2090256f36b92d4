// Instances near others: random draws that fit a rule are mostly regular, since operators that meet must
// agree in their sizes. A small change of one that fits (two entries of a permutation swapped, a pad more, a
// size taken for another everywhere) fits often, and shows what the regular one hides (mutation, as in
// coverage-guided fuzzing; here it is types and attributes that are mutated, and rule_coverage.h that
// chooses).
#pragma once

#include <optional>

#include "rewrite/rule_apply.h"
#include "rewrite/rule_hints.h"
#include "rewrite/rule_relations.h"
#include "support/rng.h"

namespace isomer::rewrite {

/// What an element of that type can hold: rounded, wrapped; the sign where it would not be finite.
double held_by(ir::DType dtype, double x);

/// Whether a tensor of these sizes has no more elements. Sizes may be such that their product is no int64.
bool has_at_most(const ir::Shape& shape, int64_t elements);
/// Each of its tensors and results, as far as sizes are known.
bool has_at_most(const ir::Context& ctx, const Instance& instance, int64_t elements);

/// One change that still fits the rule (refit); nothing when this one did not, or changed nothing.
std::optional<Instance> mutate(ir::Context& ctx, const CompiledRule& rule, const RuleHints& hints,
                               const RuleRelations& relations, Rng& rng, const Instance& instance);

/// The same with another element type in the place of floats; nothing where the rule does not take it.
std::optional<Instance> retyped(ir::Context& ctx, const CompiledRule& rule, const Instance& instance,
                                ir::DType dtype);

}  // namespace isomer::rewrite
