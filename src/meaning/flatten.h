// Composites written out: the same graph in operators that have a meaning of their own (loop nests, leaves,
// tuples, opaque).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace isomer::meaning {

struct Flat {
  ir::Graph graph;
  std::vector<ir::ValueId> origin;  ///< of each value of `graph`: the value of the original it belongs to
};

enum class Kernels : uint8_t { kWrittenOut, kKept };

/// A composite that cannot be written out (symbolic shapes) stays as it is; evaluating it is an error then.
/// So does, with kKept, what has a schedule (ir/schedule.h). Throws MisuseError when a definition's type
/// differs from its type rule's.
Flat flatten(const ir::Graph& graph, Kernels kernels = Kernels::kWrittenOut);

/// "node 'y' (matmul)", for messages; unnamed nodes by number.
std::string describe(const ir::Graph& graph, ir::ValueId v);

}  // namespace isomer::meaning
