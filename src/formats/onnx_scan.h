// The body of a Scan as a graph of its own: what can be said of a loop whose rounds are known without running
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/graph.h"

namespace isomer::formats {

struct OnnxScan {
  ir::Graph body;     ///< of the states, then of one element of each scanned operand
  size_t states = 0;  ///< the first operands, and the first results of the body
};

/// `node`: an opaque Scan's body (onnx_opaque.h). Nothing where it scans along other axes than the first, its
/// body cannot be read by itself, or it is of an opset below 9: there it scans batches of sequences.
std::optional<OnnxScan> read_scan(ir::Context& ctx, const std::string& node, int64_t opset);

}  // namespace isomer::formats
