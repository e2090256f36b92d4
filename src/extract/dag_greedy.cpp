#include "extract/dag_greedy.h"

#include <algorithm>

#include "extract/settle.h"

namespace isomer::extract {

Selection dag_greedy(const Problem& problem, std::span<const double> costs) {
  Selection selection(problem.classes());
  std::vector<std::vector<uint32_t>> below(
      problem.classes());  // classes that a class's pick needs, itself too
  std::vector<double> picked_cost(problem.classes(), 0);
  std::vector<uint32_t> seen(problem.classes(), 0);
  uint32_t round = 0;
  std::vector<uint32_t> united;
  const auto own = [&](NodeId n) {
    return std::max(costs.empty() ? problem.cost(n) : costs[n.index()], 0.0);
  };
  const auto price = [&](NodeId n) {
    ++round;
    united.clear();
    double sum = own(n);
    for (ClassId child : problem.children(n)) {
      if (seen[child.index()] == round) continue;  // then all below it has been seen as well
      for (uint32_t c : below[child.index()]) {
        if (seen[c] == round) continue;
        seen[c] = round;
        sum += picked_cost[c];
        united.push_back(c);
      }
    }
    return sum;
  };
  settle_cheapest_first(problem, price, [&](ClassId c, NodeId n) {
    selection.pick(c, n);
    price(n);
    below[c.index()] = united;
    below[c.index()].push_back(c.v);
    picked_cost[c.index()] = own(n);
  });
  return selection;
}

}  // namespace isomer::extract
