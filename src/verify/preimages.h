// Integers that a program mixes until they are a constant: numbers that meet `mix(x) == k`, computed
// backwards from k. Sums, odd factors, squares, exclusive ors, rotations, and exclusive ors of an element
// with itself shifted, are undone one by one, whatever they wrap; of hash functions that are made of these
// nothing but that leads to the one number of 2^32 that is asked for. And numbers that leave the remainders
// which several equalities ask for: of two primes near a thousand one in a million does, which the Chinese
// remainder theorem says at once (Sunzi; here as Gauss has it, Disquisitiones arithmeticae, 36).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace isomer::verify {

/// The number in all elements of a constant, if it is one of integers.
std::optional<int64_t> same_in_all(const ir::Graph& graph, ir::ValueId v);

/// Of all equalities with constants of both, each once: elements of what the mixing begins with, or of an
/// input of which remainders are compared: the smallest that leaves each two, and all, of those asked for.
std::vector<int64_t> preimages(const ir::Graph& a, const ir::Graph& b);
/// The same of floats that sums, factors and steps (roundings, casts to integers) lead to a constant: the
/// middle of each step.
std::vector<double> float_preimages(const ir::Graph& graph);

}  // namespace isomer::verify
