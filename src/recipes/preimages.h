// Integers that a program mixes until they are a constant: numbers that meet `mix(x) == k`, computed
// backwards from k. Sums, odd factors, exclusive ors and shifts of an element beside itself are undone one by
// one, whatever they wrap; of hash functions that are made of these nothing but that leads to the one number
// of 2^32 that is asked for. And numbers that leave the remainders which several equalities ask for: of two
// primes near a thousand one in a million does, which the Chinese remainder theorem says at once (Sunzi; here
// as Gauss has it, Disquisitiones arithmeticae, 36).
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace isomer::recipes {

/// Of all equalities with constants; each is an element of what the mixing begins with, or of an input of
/// which remainders are compared: the smallest that leaves each two, and all, of those asked for.
std::vector<int64_t> preimages(const ir::Graph& graph);
/// The same of floats that sums, factors and steps (roundings, casts to integers) lead to a constant: the
/// middle of each step.
std::vector<double> float_preimages(const ir::Graph& graph);

}  // namespace isomer::recipes
