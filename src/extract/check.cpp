#include "extract/check.h"

#include <fmt/format.h>

namespace isomer::extract {

Verdict check(const Problem& problem, const Selection& selection) {
  Verdict verdict;
  if (selection.classes() != problem.classes()) {
    verdict.fault =
        fmt::format("the selection has {} classes, the problem {}", selection.classes(), problem.classes());
    return verdict;
  }
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(problem.classes(), kNew);
  std::vector<double> tree(problem.classes(), 0);
  struct Frame {
    ClassId c;
    size_t next_child;
  };
  std::vector<Frame> path;
  for (ClassId root : problem.roots()) {
    if (state[root.index()] == kDone) {
      verdict.tree_cost += tree[root.index()];
      continue;
    }
    path.push_back({root, 0});
    while (!path.empty()) {
      const ClassId c = path.back().c;
      const NodeId n = selection[c];
      if (path.back().next_child == 0 && state[c.index()] == kNew) {
        if (!n.valid()) {
          verdict.fault = fmt::format("class {} is needed but has no node picked", c.v);
          return verdict;
        }
        if (n.index() >= problem.nodes() || problem.class_of(n) != c) {
          verdict.fault = fmt::format("class {} picks node {}, which is not one of its nodes", c.v, n.v);
          return verdict;
        }
        state[c.index()] = kOpen;
        tree[c.index()] = problem.cost(n);
        verdict.dag_cost += problem.cost(n);
        ++verdict.classes;
      }
      const auto children = problem.children(n);
      if (path.back().next_child == children.size()) {
        state[c.index()] = kDone;
        path.pop_back();
        continue;
      }
      const ClassId child = children[path.back().next_child];
      if (state[child.index()] == kOpen) {
        verdict.fault = fmt::format("a cycle goes through classes {} and {}", c.v, child.v);
        return verdict;
      }
      if (state[child.index()] == kNew) {
        path.push_back({child, 0});
        continue;
      }
      tree[c.index()] += tree[child.index()];
      ++path.back().next_child;
    }
    verdict.tree_cost += tree[root.index()];
  }
  verdict.valid = true;
  return verdict;
}

}  // namespace isomer::extract
