// Integers modulo a power of two. Sums, products and what is done digit by digit have the same residues
// whether they wrap or not, so that a few combinations of residues stand for all integers there are. (That
// congruences of values can be computed with is Granger's, "Static analysis of arithmetical congruences",
// 1989; ours tries all residues of what an expression is made of, which keeps that it is the same x twice.)
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace isomer::recipes {

/// What elements of two integer tensors that broadcast to each other can be where they meet.
struct Equality {
  bool possible = true;  ///< false: never equal, whatever the inputs; true: not known
  bool certain = false;  ///< always equal, as the rest of an odd square by 8 is 1; false: not known
};
Equality equality_of(const ir::Graph& graph, ir::ValueId a, ir::ValueId b);

/// Which residues modulo its size, a power of two, the elements of the value can have; {true}: not known.
std::vector<bool> possible_residues(const ir::Graph& graph, ir::ValueId v);

}  // namespace isomer::recipes
