#include "extract/components.h"

#include <algorithm>

namespace isomer::extract {

Components components(const Problem& problem) {
  constexpr uint32_t kNone = 0xFFFFFFFFu;
  const size_t count = problem.classes();
  Components result;
  result.component.assign(count, kNone);
  std::vector<uint32_t> order(count, kNone);
  std::vector<uint32_t> low(count, 0);
  std::vector<uint32_t> open;  // classes that have no component yet
  struct Frame {
    uint32_t c;
    uint32_t node;   // position in nodes_of(c)
    uint32_t child;  // position in children(node)
  };
  std::vector<Frame> path;
  uint32_t next_order = 0;
  const auto enter = [&](uint32_t c) {
    order[c] = low[c] = next_order++;
    open.push_back(c);
    path.push_back({c, 0, 0});
  };
  for (uint32_t start = 0; start < count; ++start) {
    if (order[start] != kNone) continue;
    enter(start);
    while (!path.empty()) {
      Frame& f = path.back();
      const uint32_t c = f.c;
      const auto nodes = problem.nodes_of(ClassId(c));
      if (f.node < nodes.size()) {
        const auto children = problem.children(nodes[f.node]);
        if (f.child == children.size()) {
          ++f.node;
          f.child = 0;
          continue;
        }
        const uint32_t child = children[f.child++].v;
        if (order[child] == kNone) {
          enter(child);
        } else if (result.component[child] == kNone) {
          low[c] = std::min(low[c], order[child]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().c] = std::min(low[path.back().c], low[c]);
      if (low[c] == order[c]) {
        const uint32_t number = static_cast<uint32_t>(result.size.size());
        result.size.push_back(0);
        uint32_t member = kNone;
        do {
          member = open.back();
          open.pop_back();
          result.component[member] = number;
          ++result.size.back();
        } while (member != c);
      }
    }
  }
  return result;
}

}  // namespace isomer::extract
