// Which of many random instances are worth evaluating: those that show together what none shows alone. A rule
// that forgets the end pads, or takes a permutation for its own inverse, is wrong at few random instances; so
// the instances are chosen to cover every feature, then every pair of features (pairwise testing: Kuhn,
// Wallace, Gallo, "Software fault interactions and implications for software testing", 2004).
#pragma once

#include <cstdint>
#include <vector>

#include "rewrite/rule_apply.h"
#include "rewrite/rule_hints.h"

namespace isomer::rewrite {

/// Numbers that stand for what an instance shows: of each class variable and result its element type, rank,
/// repeated or empty dimensions, which of the sizes that the rule names it exceeds, what is known of its
/// elements; of each attribute its class of value (sign, apart on the axes, begin and end different, a
/// permutation that is not its own inverse, ...); of each comparison of integers in a condition whether it
/// holds just so.
std::vector<uint64_t> features(ir::Context& ctx, const Rule& rule, const RuleHints& hints,
                               const Instance& instance);

/// Numbers of at most `most` instances, the ones that show most of what is new first.
std::vector<size_t> choose_instances(ir::Context& ctx, const Rule& rule,
                                     const std::vector<Instance>& candidates, size_t most);

}  // namespace isomer::rewrite
