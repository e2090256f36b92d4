// A program as machine code, held to its evaluation and timed.
#pragma once

#include <cstdint>

#include "codegen/generate.h"
#include "ir/graph.h"

namespace isomer::recipes {

struct NativeTrial {
  /// Of results of floats: by which part of its largest element a result differs most from what evaluation in
  /// double precision gives. Integers that differ count as 1, a NaN or an infinity that is not there too.
  double difference = 0;
  double compile_seconds = 0;
  double run_seconds = 0;  ///< median
  int runs = 0;
};

/// On random inputs: floats in [-1, 1), integers 0 or 1; some runs, a fifth of a second at least. Throws
/// MissingRuntimeError without a compiler, InputError for what no code is generated for or cannot be
/// evaluated.
NativeTrial try_native(const ir::Graph& graph, const codegen::ScheduleOptions& options, uint64_t seed);

}  // namespace isomer::recipes
