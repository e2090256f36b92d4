// Which parts of a program the verifier can judge: LAX programs (Mirage, OSDI 2025, section 5.1), of
// multi-linear operators, divisions, exponentials (at most one on a path) and, as in the field here, square
// roots. Everything else (max, ReLU, clamp, comparisons, logarithms, what depends on integers) is a place
// where a program is cut.
//
// What an operator is follows from its loop nests: their scalar expressions and combiners. Softmax is inside
// although it is defined with a maximum, which cancels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace isomer::mugraph {

/// A connected part inside; no path leaves it and comes back.
struct LaxPart {
  std::vector<ir::ValueId> nodes;    ///< in order
  std::vector<ir::ValueId> inputs;   ///< values of others that it reads, constants among them
  std::vector<ir::ValueId> outputs;  ///< its values that others or the program's outputs read
};

struct LaxPartition {
  struct Outside {
    ir::ValueId node;
    std::string reason;
  };
  std::vector<LaxPart> parts;
  std::vector<Outside> outside;
  /// Indices of `parts`, or of `outside` counted after them, in an order in which they can be computed.
  std::vector<size_t> order;
  std::vector<int> exponentials;  ///< of each node of the graph by itself, on a path through it
};

/// Whether ReLU is outside, as in LAX, or inside: a function of which nothing is known.
enum class Rectifiers : uint8_t { kOutside, kInside };

/// The largest parts that are cut by nothing but nodes outside and second exponentials on a path.
LaxPartition partition_lax(const ir::Graph& graph, Rectifiers rectifiers = Rectifiers::kOutside);

/// A part as a program of its own, in the same context.
ir::Graph subprogram(const ir::Graph& graph, const LaxPart& part);

/// A listing: what is outside and why, and the parts by operators.
std::string print(const LaxPartition& partition, const ir::Graph& graph);

}  // namespace isomer::mugraph
