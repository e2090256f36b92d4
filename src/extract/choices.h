// The bare structure that graph algorithms on extraction problems look at: classes, their nodes, child
// classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

/// Nodes are numbered class by class. Built by appending: children of a node, then close_node(); after a
/// class's nodes, close_class().
struct Choices {
  std::vector<uint32_t> class_first{0};  ///< by class: its first node
  std::vector<uint32_t> node_first{0};   ///< by node: its first child
  std::vector<uint32_t> child;           ///< classes

  void close_node() { node_first.push_back(static_cast<uint32_t>(child.size())); }
  void close_class() { class_first.push_back(static_cast<uint32_t>(node_first.size() - 1)); }

  size_t classes() const { return class_first.size() - 1; }
  std::span<const uint32_t> children(uint32_t node) const {
    return {child.data() + node_first[node], node_first[node + 1] - node_first[node]};
  }
  /// The children of all nodes of a class, in one span.
  std::span<const uint32_t> children_of_class(uint32_t c) const {
    const uint32_t begin = node_first[class_first[c]];
    return {child.data() + begin, node_first[class_first[c + 1]] - begin};
  }
};

Choices choices_of(const Problem& problem);

}  // namespace isomer::extract
