#include "extract/greedy.h"

#include <algorithm>

#include "extract/settle.h"

namespace isomer::extract {

Selection tree_greedy(const Problem& problem) {
  Selection selection(problem.classes());
  std::vector<double> cost(problem.classes(), 0);
  const auto price = [&](NodeId n) {
    double sum = std::max(problem.cost(n), 0.0);
    for (ClassId c : problem.children(n)) sum += cost[c.index()];
    return sum;
  };
  settle_cheapest_first(problem, price, [&](ClassId c, NodeId n) {
    selection.pick(c, n);
    cost[c.index()] = price(n);
  });
  return selection;
}

}  // namespace isomer::extract
