// The order in which facts of e-classes are computed from those of their children.
#pragma once

#include <vector>

#include "egraph/ids.h"

namespace isomer::egraph {

class Store;

/// Canonical classes, children before parents; a cycle is cut anywhere. Only usable nodes count.
std::vector<ClassId> children_first(const Store& store);

}  // namespace isomer::egraph
