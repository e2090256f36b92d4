// Parts of a program that rules are applied in, so that an action of a search may be finer than "this rule
// wherever it matches": the program's operators in their order (operands first) are cut into consecutive
// parts of as many operators each. What is known at compile time belongs to the first part that uses it. A
// class belongs to the part of its first node; a class that a rule made, to that of the match that made it.
//
// A match belongs to one part: that of its root, and a joint match of a multi-pattern rule to the first of
// its roots'. If it belonged to all parts that it has a root in, parts would do the same work twice; if only
// pairs within one part counted, what joins parts would never be done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rewrite/tensor_egraph.h"

namespace isomer::problems {

class Regions {
 public:
  /// No parts: all is one.
  Regions() = default;
  /// Of a clean e-graph of the program; at most 65,535 parts.
  Regions(const rewrite::EGraph& g, uint32_t parts);

  bool on() const { return !of_.empty(); }
  /// Of a joint match by its roots, canonical when the e-graph was clean last.
  uint32_t of(std::span<const egraph::ClassId> roots) const;
  uint32_t of(egraph::ClassId root) const { return on() ? of_[root.index()] : 0; }
  /// Nodes up to here that have no part yet are made by a match of this one.
  void made(size_t slots, uint32_t region) {
    if (on()) of_.resize(slots, static_cast<uint16_t>(region));
  }
  /// Classes have merged, or may have; the e-graph is clean again.
  void settle(const rewrite::EGraph& g);
  size_t memory_bytes() const { return of_.capacity() * sizeof(uint16_t); }

 private:
  std::vector<uint16_t> of_;  ///< by canonical class, and by the first node of each
};

}  // namespace isomer::problems
