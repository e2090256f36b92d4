// A selection that was made elsewhere, in an e-graph that `isomer explore` wrote, as an ONNX model: what
// `isomer import` does. Verified or not written, as by the main job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "support/deadline.h"

namespace isomer::recipes {

struct ImportOptions {
  std::string selection;  ///< JSON: class id -> e-node id
  std::string egraph;     ///< that it is of
  std::string model;      ///< the ONNX model that the e-graph was grown from
  std::vector<std::string> dims;
  std::string output;
  CompareOptions compare;
};

struct ImportResult {
  int64_t nodes_before = 0, nodes_after = 0;  ///< operators, leaves not counted
  double cost = 0;                            ///< of the selection, by the costs of the file
  CompareResult comparison;
};

/// Throws InputError, UsageError; VerificationError, and writes nothing, where the model was not shown to be
/// equivalent.
ImportResult import_selection(const ImportOptions& options);

}  // namespace isomer::recipes
