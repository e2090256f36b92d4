// What ONNX Runtime makes of a file, held to what the interpreter makes of the program that was read from it.
// A proof speaks of what was read: where a file is misread, so is the other one, alike, and nothing that is
// shared tells. And a runtime that does not compute what ONNX says tells apart what is equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/tensor.h"
#include "ir/graph.h"
#include "recipes/unrepeatable.h"
#include "runtime/onnxruntime.h"
#include "runtime/pair_trials.h"
#include "support/deadline.h"

namespace isomer::recipes {

/// How the interpreter computes.
enum class Arithmetic : uint8_t {
  kDouble,   ///< in double precision throughout
  kRounded,  ///< every result rounded to its type, as ONNX says it
  kSingle,   ///< every scalar step in single precision, results to their types
};
/// What it makes of a program on these inputs, by output; nothing where it has no value for one.
std::optional<std::vector<eval::Tensor<double>>> defined_outputs(
    const ir::Graph& graph, const std::vector<runtime::NamedTensor>& inputs, Arithmetic how,
    const Deadline& until);
/// In the order of the program's inputs.
std::optional<std::vector<eval::Tensor<double>>> defined_outputs(
    const ir::Graph& graph, const std::vector<eval::Tensor<double>>& inputs, Arithmetic how,
    const Deadline& until);

/// How one run of a file relates to the interpreter's of the same inputs.
struct AsDefined {
  bool known = false;   ///< both had values; false: says nothing
  std::string departs;  ///< where the runtime has others: "output y at element 0: 7 against 49"
};
/// How far outputs may be off: floats by a share of an output's largest element, and outputs that hold shares
/// by what is next to nothing (recipes/agreement.h).
struct Leeway {
  double tolerance = 0;
  OutputSet shares;
};
/// `graph`: as it was read at the sizes of the run. Nothing is known where 20 s or the deadline ends it.
AsDefined as_defined(const ir::Graph& graph, const runtime::FedRun& run, const Leeway& leeway,
                     const Deadline& until = {});

/// The first element that differs, in words; empty where none does.
std::string apart(const std::vector<runtime::NamedTensor>& a, const std::vector<runtime::NamedTensor>& b,
                  const Leeway& leeway);

}  // namespace isomer::recipes
