#include "extract/near_start.h"

#include <vector>

#include "extract/dag_greedy.h"
#include "extract/local_search.h"

namespace isomer::extract {

Selection near_start(const Problem& problem, const Selection& whole, const Block& part,
                     const Reduced& reduced, uint64_t work) {
  constexpr double kPicked = 1e-3;  // of its cost
  std::vector<double> costs(reduced.problem.nodes());
  for (uint32_t n = 0; n < reduced.problem.nodes(); ++n) {
    const NodeId origin = part.node_of[reduced.node_of[n].index()];
    const bool picked = whole[problem.class_of(origin)] == origin;
    costs[n] = (picked ? kPicked : 1.0) * reduced.problem.cost(NodeId(n));
  }
  return local_search(reduced.problem, dag_greedy(reduced.problem, costs), work);
}

}  // namespace isomer::extract
