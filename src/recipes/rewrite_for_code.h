// A program rewritten before machine code is made of it. The e-graph, its exploring and the extraction are
// those of the main job (TENSAT, Yang et al. 2021, sections 4 and 5). What ours does otherwise: several
// programs are extracted, each is compiled and run whole beside the original, and the clock chooses, since a
// sum of operators' costs knows nothing of what code generation fuses. The original stands unless another is
// surely faster. Where a rule that led to it does not suit the model's numbers, all is done again without
// that rule, as the main job does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "isomer/compile.h"
#include "recipes/load.h"
#include "recipes/native_trial.h"
#include "runtime/timing_statistics.h"
#include "support/deadline.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

struct RewrittenForCode {
  std::optional<ir::Graph> graph;  ///< nothing: the original is what code is made of
  std::string decision;            ///< which program, and why
  runtime::MedianInterval
      gain;  ///< time of the original over the time of `graph`, by rounds; where there is one
  std::map<std::string, uint64_t> rules_applied;
  Deadline until;  ///< of all that the options give time for: what is left is for holding it to the program
};

/// Searches, compiles and times for nine tenths of the seconds that the options say, and ends what is under
/// way then: one compilation or round of trials. `example`: of the original. Every rewrite that leads to the
/// result was checked by itself (Rewriting::check_rewrites), and the result held to the example. Throws
/// MissingRuntimeError without a compiler, and VerificationError where a rule is wrong.
RewrittenForCode rewrite_for_code(const Program& program, const Example& example,
                                  const CompileOptions& options, const StopToken& stop,
                                  ProgressSink& progress);

}  // namespace isomer::recipes
