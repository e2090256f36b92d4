// A program run operator by operator, each result rounded to its element type, as ONNX says. What is inside
// an operator (the sum of a mean, the exponentials of a softmax) is its own affair.
#pragma once

#include <vector>

#include "eval/interpreter.h"
#include "ir/graph.h"
#include "support/deadline.h"

namespace isomer::verify {

struct RoundedRun {
  std::vector<eval::Value<double>> outputs;
  bool overflows = false;  ///< some operator made infinity or NaN of finite numbers
  bool undefined = false;  ///< casts out of an integer's range, integers divided by 0
};

/// Throws as eval::apply does.
RoundedRun run_rounded(const ir::Graph& graph, const std::vector<eval::Value<double>>& inputs,
                       const Deadline& until);

}  // namespace isomer::verify
