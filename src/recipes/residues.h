// Integers modulo a power of two. Sums, products and what is done digit by digit have the same residues
// whether they wrap or not, so that a few combinations of residues stand for all integers there are. (That
// congruences of values can be computed with is Granger's, "Static analysis of arithmetical congruences",
// 1989; ours tries all residues of what an expression is made of, which keeps that it is the same x twice.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace isomer::recipes {

/// The number in all elements of a constant, if it is one of integers.
std::optional<int64_t> same_in_all(const ir::Graph& graph, ir::ValueId v);

/// False where no elements of `a` and `b` that meet can be equal, whatever the inputs; true: not known.
/// Both are integer tensors that broadcast to each other.
bool may_be_equal(const ir::Graph& graph, ir::ValueId a, ir::ValueId b);

/// True where elements of `a` and `b` that meet are equal whatever the inputs, as the rest of an odd square
/// by 8 is 1; false: not known.
bool must_be_equal(const ir::Graph& graph, ir::ValueId a, ir::ValueId b);

/// Which residues modulo its size, a power of two, the elements of the value can have; {true}: not known.
std::vector<bool> possible_residues(const ir::Graph& graph, ir::ValueId v);

}  // namespace isomer::recipes
