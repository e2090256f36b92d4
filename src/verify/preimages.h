// Integers that a program mixes until they are a constant: numbers that meet `mix(x) == k`, computed
// backwards from k. Sums, odd factors, exclusive ors, rotations, and exclusive ors of an element with itself
// shifted, are undone one by one, whatever they wrap; of hash functions that are made of these nothing but
// that leads to the one number of 2^32 that is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace isomer::verify {

/// The number in all elements of a constant, if it is one of integers.
std::optional<int64_t> same_in_all(const ir::Graph& graph, ir::ValueId v);

/// Of all equalities with constants of both, each once: elements of what the mixing begins with.
std::vector<int64_t> preimages(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::verify
