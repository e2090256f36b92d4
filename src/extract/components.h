// Strongly connected components of the graph "class -> child class of one of its nodes": where an extraction
// could close a cycle, and where it cannot.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

struct Components {
  std::vector<uint32_t> component;  ///< by class; children's components have smaller numbers (or the same)
  std::vector<uint32_t> size;       ///< classes in each component

  /// Whether an edge from `from` to `to` can lie on a cycle.
  bool cyclic(ClassId from, ClassId to) const { return component[from.index()] == component[to.index()]; }
};

/// Tarjan's algorithm (1972), without recursion.
Components components(const Problem& problem);

}  // namespace isomer::extract
