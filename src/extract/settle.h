// The loop that both greedy extractors share: settle classes cheapest first.
#pragma once

#include <queue>
#include <tuple>
#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

/// price(n) is asked once for a node, when all its child classes are settled; settle(c, n) is told the
/// cheapest node of a class, once. Prices must not be below those of the children, or the order means
/// nothing.
template <class Price, class Settle>
void settle_cheapest_first(const Problem& problem, Price&& price, Settle&& settle) {
  // For each node: how many child positions are not settled yet; for each class: who waits for it.
  std::vector<uint32_t> missing(problem.nodes(), 0);
  std::vector<uint32_t> first(problem.classes() + 1, 0);
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    for (ClassId c : problem.children(NodeId(n))) ++first[c.index() + 1];
    missing[n] = static_cast<uint32_t>(problem.children(NodeId(n)).size());
  }
  for (size_t c = 0; c < problem.classes(); ++c) first[c + 1] += first[c];
  std::vector<NodeId> waiting(problem.edges());
  std::vector<uint32_t> at(first.begin(), first.end());
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    for (ClassId c : problem.children(NodeId(n))) waiting[at[c.index()]++] = NodeId(n);
  }

  using Entry = std::pair<double, NodeId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<bool> settled(problem.classes(), false);
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    if (missing[n] == 0) queue.emplace(price(NodeId(n)), NodeId(n));
  }
  while (!queue.empty()) {
    const NodeId n = queue.top().second;
    queue.pop();
    const ClassId c = problem.class_of(n);
    if (settled[c.index()]) continue;
    settled[c.index()] = true;
    settle(c, n);
    for (uint32_t i = first[c.index()]; i < first[c.index() + 1]; ++i) {
      const NodeId parent = waiting[i];
      if (--missing[parent.index()] == 0 && !settled[problem.class_of(parent).index()]) {
        queue.emplace(price(parent), parent);
      }
    }
  }
}

}  // namespace isomer::extract
