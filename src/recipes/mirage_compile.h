// A whole model as Mirage compiles one (Wu et al. 2024/25, section 3): what lies inside LAX is cut into
// pieces, each distinct piece is searched once, the muGraphs that compute it are compiled and timed, and the
// fastest stand in the program's place. What differs: the pieces are those of the program that equality
// saturation finds fastest (recipes/rewrite_for_code.h), stated again so that more of it is pieces
// (mugraph/restate.h); a piece's own default schedules are timed beside its muGraphs, with the model's
// weights as constants on both sides; a softmax keeps its maximum, so that nothing overflows that did not;
// ReLU, for which Mirage searches with exp and puts it back, is searched as itself, a function of which
// nothing is known; and the model with muGraphs is timed beside the model without them, which is what is
// written where that is not slower.
#pragma once

#include "isomer/compile.h"
#include "recipes/compile.h"
#include "support/progress.h"
#include "support/store.h"

namespace isomer::recipes {

struct MirageCompileOptions {
  /// Of this machine's processor, or of a graphics processor: where it is not to be run (`check`), an
  /// estimate chooses in place of times (codegen/gpu_estimate.h).
  CompileOptions compile;
  size_t most = 16;  ///< muGraphs of a piece that are compiled
  int rounds = 7;
  CompileStops stops;
};

/// Throws as compile_graph does, and UsageError for a processor that is not this machine's.
CompileResult compile_with_mugraphs(const MirageCompileOptions& options, Store& store,
                                    ProgressSink& progress);

}  // namespace isomer::recipes
