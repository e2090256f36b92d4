// The flat extraction problem: classes, each a choice of nodes; nodes with a cost and child classes; roots.
// It knows nothing of tensors or e-graphs. A selection picks one node per needed class so that every root is
// picked, the child classes of every picked node are picked, and no cycle is reachable from the roots.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/ids.h"

namespace isomer::extract {

using ClassId = Id<struct ProblemClassTag>;
using NodeId = Id<struct ProblemNodeTag>;

/// Immutable once built (ProblemBuilder). Ids are dense: 0 .. classes() - 1 and 0 .. nodes() - 1.
class Problem {
 public:
  size_t classes() const { return class_first_.empty() ? 0 : class_first_.size() - 1; }
  size_t nodes() const { return cost_.size(); }
  size_t edges() const { return child_.size(); }

  /// Nodes of a class, in the order they were added. May be empty: then the class cannot be picked.
  std::span<const NodeId> nodes_of(ClassId c) const {
    return {class_nodes_.data() + class_first_[c.index()],
            class_first_[c.index() + 1] - class_first_[c.index()]};
  }
  ClassId class_of(NodeId n) const { return class_of_[n.index()]; }
  double cost(NodeId n) const { return cost_[n.index()]; }
  /// In the order they were given; a class may occur twice, and may be the node's own.
  std::span<const ClassId> children(NodeId n) const {
    return {child_.data() + child_first_[n.index()], child_first_[n.index() + 1] - child_first_[n.index()]};
  }
  /// No selection costs less: the sum of the negative costs that classes could be picked at.
  double least_possible() const;
  /// Without duplicates.
  std::span<const ClassId> roots() const { return roots_; }

 private:
  friend class ProblemBuilder;
  std::vector<uint32_t> class_first_;
  std::vector<NodeId> class_nodes_;
  std::vector<ClassId> class_of_;
  std::vector<double> cost_;
  std::vector<uint32_t> child_first_{0};
  std::vector<ClassId> child_;
  std::vector<ClassId> roots_;
};

class ProblemBuilder {
 public:
  ClassId add_class();
  /// The class and the children must have been added; costs are finite, negative ones are allowed.
  NodeId add_node(ClassId c, double cost, std::span<const ClassId> children);
  void add_root(ClassId c);
  Problem build();

 private:
  Problem problem_;
  uint32_t classes_ = 0;
};

/// One node per class, or none. What a checker, a rebuild and a report take.
class Selection {
 public:
  Selection() = default;
  explicit Selection(size_t classes) : choice_(classes) {}

  size_t classes() const { return choice_.size(); }
  /// Invalid where the class is not picked.
  NodeId operator[](ClassId c) const { return choice_[c.index()]; }
  void pick(ClassId c, NodeId n) { choice_[c.index()] = n; }
  void drop(ClassId c) { choice_[c.index()] = NodeId(); }
  bool operator==(const Selection&) const = default;

 private:
  std::vector<NodeId> choice_;
};

}  // namespace isomer::extract
