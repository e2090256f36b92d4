// Keeping an e-graph free of cycles, so that an extraction needs no ordering constraints. Four modes:
//
//   none       cycles stay; extraction cuts them.
//   vanilla    before each match of any rule it is looked up on the e-graph as it is whether the right side
//              would close a cycle (Yang et al., TENSAT, MLSys 2021, section 5.2); TENSAT's program does so
//              for multi-pattern rules only, which is a mode of its own here.
//   efficient  algorithm 2 there: before a multi-pattern step one map of all descendants of each class, by
//              which matches are refused; after each step a depth-first search from the roots, in which each
//              cycle found is broken by filtering its newest e-node, until there is none left.
//   online     ours: unions are never refused (cancellation makes cyclic unions by nature, and congruence
//              forces others). The nodes that close a cycle go to the filter list, newest first.
//
// Ours never filters a node by which a class is known to have a finite term, which is one of the program's
// own wherever there is one: every class stays extractable, and a node of the input goes only if a cycle has
// no other (when the input itself was found equal to a part of it).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "egraph/store.h"

namespace isomer::egraph {

enum class CycleMode : uint8_t { kNone, kEfficient, kVanilla, kVanillaMulti, kOnline };
/// "none", "efficient", "vanilla", "vanilla-multi", "online"; UsageError for other words.
CycleMode cycle_mode(const std::string& word);

/// Which classes lie below a class, through usable nodes, as of its construction. Exact where there are no
/// cycles; with them, what is only reached round one may be missed, as in TENSAT's single pass.
class DescendantMap {
 public:
  /// The store must be clean.
  explicit DescendantMap(const Store& store);
  /// Whether `to` is `from` or below it; classes that came later are below nothing.
  bool reaches(ClassId from, ClassId to) const;

 private:
  size_t words_ = 0;
  std::vector<uint32_t> row_;  // by class slot at construction
  std::vector<uint64_t> bits_;
};

/// Whether one of `to` is one of `from` or below it now, by a search; the store need not be clean if it
/// tracks members.
bool reaches_now(const Store& store, std::span<const ClassId> from, std::span<const ClassId> to);

/// Filters nodes until no cycle can be reached from the roots; returns how many. Nodes below `own` are the
/// program's. The store must be clean, and the program must have been acyclic.
size_t break_cycles(Store& store, std::span<const ClassId> roots, size_t own);
/// Whether a cycle can be reached from the roots through usable nodes.
bool has_cycle(const Store& store, std::span<const ClassId> roots);

}  // namespace isomer::egraph
