// Nodes by the class that they need.
#pragma once

#include <span>
#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

class Users {
 public:
  explicit Users(const Problem& problem) : first_(problem.classes() + 1, 0), nodes_(problem.edges()) {
    for (uint32_t n = 0; n < problem.nodes(); ++n)
      for (ClassId m : problem.children(NodeId(n))) ++first_[m.index() + 1];
    for (size_t c = 0; c < problem.classes(); ++c) first_[c + 1] += first_[c];
    std::vector<uint32_t> at(first_.begin(), first_.end());
    for (uint32_t n = 0; n < problem.nodes(); ++n)
      for (ClassId m : problem.children(NodeId(n))) nodes_[at[m.index()]++] = NodeId(n);
  }

  /// In their order.
  std::span<const NodeId> of(ClassId c) const {
    return std::span(nodes_).subspan(first_[c.index()], first_[c.index() + 1] - first_[c.index()]);
  }

 private:
  std::vector<uint32_t> first_;  // by class, into nodes_
  std::vector<NodeId> nodes_;
};

}  // namespace isomer::extract
