// Programs whose weights have no contents (TENSAT's start graphs and what optimizers make of them) as whole
// models in ONNX Runtime: with weights of our own making, compared and timed side by side. What the sum of
// operators timed alone says is held against this.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/onnxruntime.h"
#include "support/limits.h"

namespace isomer::recipes {

/// Operators on weights are folded, and results in tuples are outputs each. Every "weight" leaf becomes a
/// constant that depends on its name and type alone: uniform with a variance of 1 / (operands summed up by a
/// product or convolution), so that values keep their size; of one dimension: in [0.5, 1.5]. REQUIREs float32
/// weights of known shape.
ir::Graph with_made_up_weights(const ir::Graph& graph);

/// Results in tuples as outputs each: TENSAT holds several in pairs of pairs. Without names.
ir::Graph without_tuples(const ir::Graph& graph);

struct WholeProgram {
  std::string failure;           ///< why it could not be run; the rest then means nothing
  runtime::MedianInterval gain;  ///< CPU time of the first program over that of this one
  double milliseconds = 0;       ///< median of its CPU times
  double error = 0;              ///< relative to the largest value of the first program's output
};

struct WholeProgramOptions {
  int threads = 1;
  int loads = 6;
  double seconds = 30;  ///< of timing all of them, loading included
  StopToken stop;
};

/// One result a program, the first one included. They share a context and have the same inputs and outputs.
/// ONNX Runtime's own rewrites are on, all of them.
/// Throws MissingRuntimeError.
std::vector<WholeProgram> run_whole(std::span<const ir::Graph> programs, const WholeProgramOptions& options);

/// Only `failure` and `error` of the second program, beside the first; nothing is timed.
/// Throws MissingRuntimeError.
WholeProgram compare_whole(const ir::Graph& first, const ir::Graph& second, const StopToken& stop = {});

}  // namespace isomer::recipes
