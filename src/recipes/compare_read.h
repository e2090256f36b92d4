// Step 6 of `isomer verify`: a proof is of what was read, of both files by one reader. The runtime, which
// reads them itself, should compute just that.
#pragma once

#include <string>
#include <vector>

#include "recipes/compare_defined.h"
#include "recipes/deciders.h"
#include "recipes/load.h"
#include "recipes/sizes.h"
#include "recipes/witness_file.h"
#include "runtime/onnxruntime.h"
#include "support/limits.h"

namespace isomer::recipes {

struct ReadAsked {
  ir::Context& ctx;
  const std::string &path_a, &path_b;
  const Program &a, &b;
  runtime::InputSpec inputs;
  const std::vector<SizesAndBounds>& sets;   ///< of sizes; empty: nothing is dynamic
  const std::vector<InputBounds>& branches;  ///< of inputs, in further runs at the first sizes
  runtime::LoadOptions load;
  Leeway leeway;
  double seconds = 60;  ///< of each run
  StopToken stop;
};

struct ReadAndRun {
  int held = 0;  ///< sets of inputs on which it computes what was read of both files
  int ran = 0;   ///< those on which it ran both
  /// Where it has other values than the interpreter, of which file: "output y at element 0: 7 against 49".
  std::string departs;
  bool of_first = false;
  std::string apart;  ///< where it has other values of the two
  Witness shown;      ///< of what it has
};
/// Ends with the first set of inputs where something is amiss.
ReadAndRun run_what_was_read(runtime::OnnxRuntime& runtime, const ReadAsked& asked);

}  // namespace isomer::recipes
