// Which e-nodes the output's format can say, so that nothing is extracted that cannot be written: operators
// without a name or words in the operator set, and broadcasts to symbolic shapes that no neighbour implies.
#pragma once

#include <functional>

#include "egraph/ids.h"
#include "formats/onnx.h"
#include "rewrite/tensor_egraph.h"

namespace isomer::recipes {

/// For ExtractOptions::allowed. The program's own nodes always can. `program` must outlive the answer and
/// stay unchanged. A class that holds a broadcast beside other nodes counts as what the others are.
std::function<bool(egraph::NodeId)> spellable(const rewrite::TensorEGraph& program,
                                              const formats::Dialect& dialect);

}  // namespace isomer::recipes
