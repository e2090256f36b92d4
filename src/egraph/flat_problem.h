// E-graph -> flat extraction problem, and the way back.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "egraph/store.h"
#include "extract/problem.h"

namespace isomer::egraph {

/// What is reachable from the roots through usable nodes. Classes and nodes of the problem are numbered in
/// order of first visit (breadth first from the roots), so the numbering does not depend on ids that were
/// merged away.
struct FlatProblem {
  extract::Problem problem;
  std::vector<ClassId> class_of;  ///< problem class -> canonical e-class
  std::vector<NodeId> node_of;    ///< problem node -> e-node

  /// The e-node picked for each problem class (invalid where none is).
  std::vector<NodeId> picked(const extract::Selection& selection) const;
};

/// `cost` is asked once per usable reachable node; infinity leaves the node out. The store must be clean.
FlatProblem flat_problem(const Store& store, std::span<const ClassId> roots,
                         const std::function<double(NodeId)>& cost);

}  // namespace isomer::egraph
