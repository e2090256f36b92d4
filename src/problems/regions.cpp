#include "problems/regions.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;

Regions::Regions(const rewrite::EGraph& g, uint32_t parts) {
  REQUIRE(parts > 0 && parts <= 0xFFFF, "1 to 65,535 regions");
  if (parts == 1) return;
  const auto computes = [&](size_t i) {
    const NodeId n(i);
    return !g.dead(n) && !g.data(g.class_of(n)).is_weight && !g.children(n).empty();
  };
  size_t operators = 0;
  for (size_t i = 0; i < g.slots(); ++i) operators += computes(i);
  constexpr uint16_t kNone = 0xFFFF;
  of_.assign(g.slots(), kNone);
  size_t seen = 0;
  for (size_t i = 0; i < g.slots(); ++i) {
    if (!computes(i)) continue;
    uint16_t& region = of_[g.class_of(NodeId(i)).index()];
    if (region == kNone) region = static_cast<uint16_t>(seen * parts / operators);
    ++seen;
  }
  // What is known at compile time: from its users down. Inputs, which no rule rewrites, stay in the first.
  for (size_t i = g.slots(); i-- > 0;) {
    const NodeId n(i);
    if (g.dead(n)) continue;
    const uint16_t mine = of_[g.class_of(n).index()];
    for (ClassId c : g.children(n))
      if (uint16_t& theirs = of_[c.index()]; mine != kNone && g.data(c).is_weight)
        theirs = std::min(theirs, mine);
  }
  for (uint16_t& region : of_)
    if (region == kNone) region = 0;
  // Where the graph has grown, the first node of a class may not be the one that names it.
  for (size_t i = 0; i < g.slots(); ++i) of_[i] = of_[g.class_of(NodeId(i)).index()];
}

uint32_t Regions::of(std::span<const ClassId> roots) const {
  uint32_t first = 0xFFFF;
  for (ClassId c : roots) first = std::min<uint32_t>(first, of(c));
  return first;
}

void Regions::settle(const rewrite::EGraph& g) {
  if (!on()) return;
  // Classes are named by any of their nodes, and belong where the first of them does.
  std::vector<uint8_t> seen(g.slots());
  for (size_t i = 0; i < g.slots(); ++i) {
    const ClassId c = g.clean_class_of(NodeId(i));
    if (seen[c.index()] != 0) continue;
    seen[c.index()] = 1;
    of_[c.index()] = of_[i];
  }
}

}  // namespace isomer::problems
