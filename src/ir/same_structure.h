// What dag_hash.h says in 64 bits, exactly: whether two graphs have the same operators, attributes, types,
// constants and order of inputs and outputs; not names, not the order in which independent nodes stand, not
// how often a term is written.
#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace isomer::ir {

enum class Identities : std::uint8_t {
  kEqual,    ///< operators with identities are the same when these are, sizes when their names are
  kRenamed,  ///< identities, and sizes that no input has, count by order of appearance: for graphs that were
             ///< read apart
};

/// Both graphs are of one context.
bool same_structure(const Graph& a, const Graph& b, Identities identities = Identities::kEqual);

}  // namespace isomer::ir
