// The order in which facts of e-classes are computed from those of their children.
#pragma once

#include <vector>

#include "egraph/ids.h"

namespace isomer::egraph {

class Store;

/// Canonical classes of a clean store, children before parents; a cycle is cut anywhere. Only usable nodes
/// count.
struct ClassOrder {
  std::vector<ClassId> classes;
  bool acyclic = true;
};
ClassOrder children_first(const Store& store);

}  // namespace isomer::egraph
