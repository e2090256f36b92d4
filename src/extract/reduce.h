// Preprocessing that every extractor shares: a smaller problem with the same optimum.
//
// Always: what no root reaches, what has no finite term, and nodes that need their own class are dropped,
// duplicate children too. With costs >= 0 also, until nothing changes:
//  - a class with a free node that needs nothing (a name, a number) is picked once and forgotten;
//  - a class with one node is replaced by that node's children wherever it is used, if the node is free and
//  has one
//    child (aliases, splits), or if there is one user, who then pays for it;
//  - a child that another child of the node needs anyway (necessary.h) is dropped;
//  - what the roots cannot do without becomes a root, and nobody else needs to ask for it, except where that
//  could
//    hide a cycle: the problem falls apart at its bottlenecks;
//  - a node is dropped if another node of its class costs no more and needs only classes that come with it.
// None of these can turn an acyclic selection into a cyclic one: a replacement needs no class that the
// replaced node did not need.
#pragma once

#include "extract/problem.h"

namespace isomer::extract {

struct Reduced {
  Problem problem;
  bool feasible = false;  ///< false: some root has no finite term, and the problem is empty

  /// A selection of the reduced problem as one of the original, in which some picks may be unneeded.
  Selection lift(const Problem& original, const Selection& selection) const;

  std::vector<ClassId> class_of;  ///< reduced class -> original class
  std::vector<NodeId> node_of;    ///< reduced node -> original node
  std::vector<NodeId> fixed;      ///< by original class: the node of a class that was forgotten or replaced
};

Reduced reduce(const Problem& problem);

}  // namespace isomer::extract
