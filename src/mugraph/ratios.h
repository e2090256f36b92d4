// Which numbers of blocks and iterations belong together. Blocks may write side by side what is not an axis
// of the program: partial sums, or copies. A later kernel that cuts such a dimension finds the parts again
// only if its own parts are in the same ratio to them: equal, or the one a multiple of the other. And what
// cuts nothing is a number: how often something is added up.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// A dimension of a kernel's grid, or one of its loops.
struct PartsOf {
  size_t kernel = 0;
  bool loop = false;
  size_t at = 0;
  auto operator<=>(const PartsOf&) const = default;
};
using PartCounts = std::map<PartsOf, int64_t>;

/// One dimension that blocks have written side by side: the parts that it is made of and those that it is cut
/// into, the outermost first, none of which is 1.
struct PartsRatio {
  std::vector<PartsOf> written, read;
};

struct PartsThatCount {
  std::vector<PartsRatio> ratios;
  std::vector<PartsOf> numbers;  ///< of what does not differ: copies, iterations that add the same
  bool empty() const { return ratios.empty() && numbers.empty(); }
};

/// `graph` must pass check_spec. Ratios are followed through kernels of one elementwise operator, not through
/// block graphs.
PartsThatCount parts_that_count(const MuGraph& graph);

/// Numbers for all that `of` names, which stand in the ratios of `graph` and are close to `wanted`; the
/// closest first, at most `most` of them. Numbers of what cuts nothing are those of `graph`, if they are not
/// large.
std::vector<PartCounts> small_counts(const MuGraph& graph, const PartsThatCount& of, const PartCounts& wanted,
                                     size_t most);

int64_t count_of(const MuGraph& graph, const PartsOf& parts);

}  // namespace isomer::mugraph
