// What an HLO pass proposes, as a source of the engine's (rewrite/alternative.h): an equation with its types,
// which can be stated, described and checked like any other, and put into an e-graph of tensor programs.
//
// Passes keep their own record of a proposal, two instructions and the name of a rule, since most are looked
// at once and never asked what they say, and since they speak of more than values: of effects, shardings and
// layouts, of what is one kernel. What is asked of values is asked of the equation.
#pragma once

#include "passes/alternatives.h"
#include "rewrite/alternative.h"

namespace isomer::recipes {

/// Both sides as functions of what the target's computation takes, and of nothing else that is in it. Throws
/// InputError where the IR cannot say one of them (formats/hlo_graph.h).
rewrite::StatedSource stated(ir::Context& ctx, const passes::AlternativeGraph& graph,
                             const passes::Alternative& way);

}  // namespace isomer::recipes
