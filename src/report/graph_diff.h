// What differs between two programs. By term hashes: operators that compute a term which the other side does
// not have (equal terms are equal whatever they are called and wherever they stand). And for people, which
// value is which: one changed operator makes all terms below it differ, but not what a reader would call
// changed.
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

/// Which values of two programs are the same. Equal terms are; so are values of one name (rewriting keeps the
/// names of values that stay), and results of equal operators on values that are the same.
struct Correspondence {
  enum class State : uint8_t {
    kKept,     ///< the other side computes it by the same operator from the same values
    kChanged,  ///< the other side has it, but computes it otherwise
    kAlone,    ///< the other side does not have it
  };
  std::vector<ir::ValueId> of_a, of_b;  ///< by value: the other side's, or invalid
  std::vector<State> a, b;
};

/// Both graphs of one context.
Correspondence correspond(const ir::Graph& a, const ir::Graph& b);

}  // namespace isomer::report
