// Keeping an e-graph free of cycles, as TENSAT does (Yang et al., MLSys 2021, section 5.2 and algorithm 2),
// so that an extraction needs no ordering constraints. Efficient: before a multi-pattern step, one map of all
// descendants of each class, by which pairs are refused whose right side would close a cycle; after each
// step, a depth-first search from the roots, in which each cycle found is broken by filtering its newest
// e-node, until there is none left. Vanilla: the descendants are looked up anew on the current e-graph for
// every candidate. Ours never filters a node by which a class is known to have a finite term (the program's
// own, wherever there is one), so every class stays extractable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rewrite/tensor_egraph.h"

namespace isomer::rewrite {

enum class CycleMode : uint8_t { kNone, kEfficient, kVanilla };
/// "none", "efficient", "vanilla"; UsageError for other words.
CycleMode cycle_mode(const std::string& word);

/// Which classes lie below a class, through usable nodes, as of its construction.
class DescendantMap {
 public:
  explicit DescendantMap(const EGraph& g);
  /// Whether `to` is `from` or below it; classes that came later are below nothing.
  bool reaches(egraph::ClassId from, egraph::ClassId to) const;

 private:
  size_t words_ = 0;
  std::vector<uint32_t> row_;  ///< by class slot at construction
  std::vector<uint64_t> bits_;
};

/// The same question on the e-graph as it is now, by a search; it is rebuilt first.
bool reaches_now(EGraph& g, egraph::ClassId from, std::span<const egraph::ClassId> to);

/// Filters nodes until no cycle can be reached from the roots; returns how many. The e-graph must be clean.
size_t break_cycles(TensorEGraph& program);
/// Whether a cycle can be reached from the roots through usable nodes.
bool has_cycle(const TensorEGraph& program);

}  // namespace isomer::rewrite
