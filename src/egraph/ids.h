// The two ids of an e-graph. Every e-node starts as a class of its own, so a class id is the id of one of the
// class's e-nodes: ClassId(n.v) is "the class that node n began as", and find() gives the class it is in now.
#pragma once

#include "support/ids.h"

namespace isomer::egraph {

using NodeId = Id<struct NodeTag>;
using ClassId = Id<struct ClassTag>;

constexpr ClassId as_class(NodeId n) { return ClassId(n.v); }
constexpr NodeId as_node(ClassId c) { return NodeId(c.v); }

}  // namespace isomer::egraph
