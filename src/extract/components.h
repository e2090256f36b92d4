// Components of the graph "class -> child class of one of its nodes". Strong ones tell where an extraction
// could close a cycle; weak ones can be extracted apart.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/choices.h"

namespace isomer::extract {

struct Components {
  std::vector<uint32_t> of;    ///< by class
  std::vector<uint32_t> size;  ///< classes in each component
};

/// Strongly connected components; children's components have smaller numbers (or the same). Tarjan (1972),
/// without recursion.
Components strong_components(const Choices& choices);

/// Connected components, directions forgotten; numbered in order of their first class.
Components weak_components(const Choices& choices);

}  // namespace isomer::extract
