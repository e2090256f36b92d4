// Hash-consing: e-nodes by operator, payload and children. In saturation most look-ups fail, which the table
// answers from one word (support/id_table.h). Node contents stay in the store.
#pragma once

#include <cstdint>
#include <span>

#include "egraph/ids.h"
#include "support/id_table.h"

namespace isomer::egraph {

struct Hashcons : IdTable<NodeId> {
  /// Hash of an e-node as stored.
  static uint64_t hash(uint32_t op, uint32_t payload, std::span<const ClassId> children) {
    uint64_t h = (uint64_t{op} << 32 | payload) * 0x9E3779B97F4A7C15ull;
    for (ClassId c : children) h = (h ^ (h >> 32) ^ c.v) * 0xBF58476D1CE4E5B9ull;
    return h ^ (h >> 32);
  }
};

}  // namespace isomer::egraph
