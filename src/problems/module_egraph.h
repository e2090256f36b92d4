// The alternatives of a module as an e-graph, and the cheapest module that it holds: beside searches over
// decisions the other way to decide a dry run, and the only one that weighs all of its decisions at once. An
// alternative and its target are one class, congruence finds what is equal beyond that, and the engine's
// extractor picks an instruction for each class, shared ones once.
//
// That a pass may hand its rewrites to an e-graph instead of applying them is equality saturation's idea
// (Tate et al., POPL 2009); here passes do not look at what they propose, so that one dry run is one round,
// and who asks goes on from what was extracted (recipes/hlo_search.cpp).
#pragma once

#include <vector>

#include "passes/alternatives.h"
#include "support/limits.h"

namespace isomer::problems {

struct ExtractedModule {
  hlo::Module module;
  double cost = 0;       ///< the sum of what its instructions cost
  bool optimal = false;  ///< no other module of the e-graph costs less
};

/// Loops and branches are e-graphs of their own, as much of them as a user needs; effects stay. `costs`: at
/// least 0, of each instruction of the graph's module, alternatives too.
ExtractedModule cheapest_module(const passes::AlternativeGraph& graph, const std::vector<double>& costs,
                                const Limits& limits);

}  // namespace isomer::problems
