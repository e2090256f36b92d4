#include "egraph/order.h"

#include <utility>

#include "egraph/store.h"

namespace isomer::egraph {

std::vector<ClassId> children_first(const Store& store) {
  std::vector<ClassId> order;
  std::vector<uint8_t> seen(store.slots());
  std::vector<std::pair<ClassId, bool>> stack;
  store.for_each_class([&](ClassId root) {
    stack.emplace_back(root, false);
    while (!stack.empty()) {
      const auto [c, leave] = stack.back();
      stack.pop_back();
      if (leave) {
        order.push_back(c);
        continue;
      }
      if (seen[c.index()]) continue;
      seen[c.index()] = 1;
      stack.emplace_back(c, true);
      for (NodeId n : store.nodes_in(c))
        if (store.usable(n))
          for (ClassId child : store.children(n))
            if (!seen[store.find(child).index()]) stack.emplace_back(store.find(child), false);
    }
  });
  return order;
}

}  // namespace isomer::egraph
