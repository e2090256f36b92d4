// A selection of what roots need and nothing else.
#pragma once

#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

/// `pick(c)` is the node that is picked for a class, asked of those that are needed, maybe more than once; an
/// invalid one leaves the class without.
template <class Pick>
Selection from_roots(const Problem& problem, const Pick& pick) {
  Selection out(problem.classes());
  std::vector<ClassId> open(problem.roots().begin(), problem.roots().end());
  while (!open.empty()) {
    const ClassId c = open.back();
    open.pop_back();
    if (out[c].valid()) continue;
    const NodeId n = pick(c);
    if (!n.valid()) continue;
    out.pick(c, n);
    const auto children = problem.children(n);
    open.insert(open.end(), children.begin(), children.end());
  }
  return out;
}
/// Of the picks of another selection.
inline Selection from_roots(const Problem& problem, const Selection& picks) {
  return from_roots(problem, [&](ClassId c) { return picks[c]; });
}

}  // namespace isomer::extract
