// A whole model as Mirage compiles one (Wu et al. 2024/25, section 3): what lies inside LAX is cut into
// pieces, each distinct piece is searched once, the muGraphs that compute it are compiled and timed, and the
// fastest stand in the program's place. What differs: a piece's own default schedules are timed beside its
// muGraphs, with the model's weights as constants on both sides; a softmax keeps its maximum, so that nothing
// overflows that did not; and the model with muGraphs is timed beside the model without them, which is what
// is written where that is not slower.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isomer/compile.h"
#include "recipes/compiled_race.h"
#include "support/store.h"

namespace isomer::recipes {

struct MirageCompileOptions {
  /// Of this machine's processor, or of a graphics processor: where it is not to be run (`check`), an
  /// estimate chooses in place of times (codegen/gpu_estimate.h).
  CompileOptions compile;
  double seconds = 300;  ///< of searches and trials together
  size_t most = 16;      ///< muGraphs of a piece that are compiled
  int rounds = 7;
  StopToken stop;
  std::function<void(double fraction, const std::string& what)> progress = {};
};

/// A distinct piece, and what became of it.
struct MiragePiece {
  std::string what;  ///< its operators
  size_t times = 1;
  size_t structures = 0, schedules = 0;
  double plain_seconds = 0, kernel_seconds = 0;  ///< measured, or estimated
  Ratio gain;          ///< of the piece: time by default schedules over that of its best muGraph
  bool taken = false;  ///< its muGraph stands in what is written
  std::string reason;  ///< why not
};

struct MirageCompiled {
  CompileResult compiled;
  std::vector<MiragePiece> pieces;
  size_t kernels = 0;      ///< muGraphs in what is written, all places
  bool estimated = false;  ///< times are estimates
  Ratio gain;              ///< of the model: time without muGraphs over time with; 0 where none was taken
};

/// Throws as compile_graph does.
MirageCompiled compile_with_mugraphs(const MirageCompileOptions& options, Store& store);

}  // namespace isomer::recipes
