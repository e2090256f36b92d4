// Integers that a program mixes until they are a constant: numbers that meet `mix(x) == k`, computed
// backwards from k. Sums, odd factors, exclusive ors and shifts of an element beside itself are undone one by
// one, whatever they wrap; of hash functions that are made of these nothing but that leads to the one number
// of 2^32 that is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace isomer::recipes {

/// Of all equalities with constants; each is an element of what the mixing begins with.
std::vector<int64_t> preimages(const ir::Graph& graph);

}  // namespace isomer::recipes
