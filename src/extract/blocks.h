// Independent parts of a problem: no class of one needs a class of another, so the optimum is the union of
// theirs. Preprocessing makes them, by turning necessary classes into roots.
#pragma once

#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

struct Block {
  Problem problem;
  std::vector<ClassId> class_of;  ///< block class -> class of the whole
  std::vector<NodeId> node_of;    ///< block node -> node of the whole

  /// The part of a selection of the whole that concerns this block, and its way back (classes that the part
  /// does not pick stay as they are).
  Selection restrict(const Selection& whole) const;
  void write_back(const Selection& part, Selection& whole) const;
  /// Every class has one node: there is nothing to decide.
  bool decided() const { return problem.nodes() == problem.classes(); }
};

/// Connected components of the problem, largest last, each with its share of the roots. Components without a
/// root are left out.
std::vector<Block> blocks(const Problem& problem);

/// What is left of a problem if only these nodes (one flag a node) may be picked and these classes are
/// needed. Only what the roots reach; classes may be left without a node.
Block restricted(const Problem& problem, const std::vector<bool>& keep, std::span<const ClassId> roots);

}  // namespace isomer::extract
