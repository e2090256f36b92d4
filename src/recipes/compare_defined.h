// What ONNX Runtime makes of a file, held to what the interpreter makes of the program that was read from it.
// A proof speaks of what was read: where a file is misread, so is the other one, alike, and nothing that is
// shared tells. And a runtime that does not compute what ONNX says tells apart what is equal.
#pragma once

#include <string>

#include "ir/graph.h"
#include "runtime/onnxruntime.h"
#include "runtime/pair_trials.h"

namespace isomer::recipes {

/// How one run of a file relates to the interpreter's of the same inputs.
struct AsDefined {
  bool known = false;   ///< both had values; false: says nothing
  std::string departs;  ///< where the runtime has others: "output y at element 0: 7 against 49"
};
/// `graph`: as it was read at the sizes of the run. Floats may be off by `tolerance` of an output's largest
/// element.
AsDefined as_defined(const ir::Graph& graph, const runtime::FedRun& run, double tolerance);

/// The first element that differs, in words; empty where none does.
std::string apart(const std::vector<runtime::NamedTensor>& a, const std::vector<runtime::NamedTensor>& b,
                  double tolerance);

}  // namespace isomer::recipes
