// What differs between two programs, by term hashes: operators that compute a term which the other side does
// not have. Equal terms are equal whatever they are called and wherever they stand.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace isomer::report {

struct GraphDiff {
  std::vector<ir::ValueId> only_a, only_b;  ///< values whose term the other side does not compute
  size_t common = 0;                        ///< distinct terms on both sides
  bool same = false;                        ///< equal structural hashes
};

GraphDiff diff(const ir::Graph& a, const ir::Graph& b);
std::string print(const ir::Graph& a, const ir::Graph& b, const GraphDiff& d);

}  // namespace isomer::report
