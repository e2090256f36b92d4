#include "extract/faster_greedy_dag.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace isomer::extract {

namespace {

using CostSet = std::vector<std::pair<ClassId, double>>;  // by class

double total(const CostSet& set) {
  double sum = 0;
  for (const auto& [c, cost] : set) sum += cost;
  return sum;
}

CostSet united(const CostSet& a, const CostSet& b) {
  CostSet result;
  result.reserve(a.size() + b.size());
  std::ranges::set_union(a, b, std::back_inserter(result), {}, &CostSet::value_type::first,
                         &CostSet::value_type::first);
  return result;
}

}  // namespace

Selection faster_greedy_dag(const Problem& problem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<std::vector<NodeId>> users(problem.classes());
  std::deque<NodeId> pending;
  std::vector<bool> waits(problem.nodes(), false);
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    for (ClassId m : problem.children(NodeId(n))) users[m.index()].push_back(NodeId(n));
    if (!problem.children(NodeId(n)).empty()) continue;
    pending.push_back(NodeId(n));
    waits[n] = true;
  }
  Selection selection(problem.classes());
  std::vector<CostSet> sets(problem.classes());
  std::vector<double> cost(problem.classes(), kInfinity);
  std::vector<ClassId> children;
  while (!pending.empty()) {
    const NodeId n = pending.front();
    pending.pop_front();
    waits[n.index()] = false;
    const ClassId c = problem.class_of(n);
    const auto all = problem.children(n);
    children.assign(all.begin(), all.end());
    std::ranges::sort(children);
    children.erase(std::unique(children.begin(), children.end()), children.end());
    if (std::ranges::any_of(children, [&](ClassId m) { return !selection[m].valid() || m == c; })) continue;
    CostSet set;
    if (!children.empty()) {
      const ClassId largest =
          std::ranges::max(children, {}, [&](ClassId m) { return sets[m.index()].size(); });
      if (problem.cost(n) + cost[largest.index()] > cost[c.index()]) continue;
      set = sets[largest.index()];
      for (ClassId m : children) {
        if (m != largest) set = united(set, sets[m.index()]);
      }
    }
    const auto at = std::ranges::lower_bound(set, c, {}, &CostSet::value_type::first);
    if (at != set.end() && at->first == c) continue;
    set.insert(at, {c, problem.cost(n)});
    const double sum = total(set);
    if (sum >= cost[c.index()]) continue;
    cost[c.index()] = sum;
    sets[c.index()] = std::move(set);
    selection.pick(c, n);
    for (NodeId user : users[c.index()]) {
      if (waits[user.index()]) continue;
      waits[user.index()] = true;
      pending.push_back(user);
    }
  }
  return selection;
}

}  // namespace isomer::extract
