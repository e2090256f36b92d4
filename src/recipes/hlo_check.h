// An HLO module that passes, or a search over what they propose, have made of another, held to it as programs
// of the IR: over the prime field and on floats (verify/equivalence.h). What XLA runs is compared there too
// (hlo_evaluators.cpp, hlo_optimize.h): that is compiled code on a few inputs of ordinary size; this is what
// the instructions mean, in exact arithmetic.
#pragma once

#include <functional>

#include "hlo/module.h"
#include "recipes/found_check.h"

namespace isomer::recipes {

/// Nothing is known, and why is said, where one of them has an instruction that the IR cannot say
/// (formats/hlo_graph.h). So many seconds, until then, as of check_evaluated.
FoundCheck check_module(const hlo::Module& start, const hlo::Module& found, double seconds,
                        const Deadline& until = {});
using ModuleCheck = std::function<FoundCheck(const hlo::Module& start, const hlo::Module& found,
                                             double seconds, const Deadline& until)>;

}  // namespace isomer::recipes
