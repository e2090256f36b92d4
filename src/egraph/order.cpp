#include "egraph/order.h"

#include <cstdint>

#include "egraph/store.h"

namespace isomer::egraph {

ClassOrder children_first(const Store& store) {
  enum : uint8_t { kNew, kOpen, kDone };
  constexpr uint32_t kLeave = 1u << 31;  // a class that has been entered and is left
  ClassOrder out;
  out.classes.reserve(store.live_classes());
  std::vector<uint8_t> state(store.slots(), kNew);
  std::vector<uint32_t> stack;
  store.for_each_class([&](ClassId root) {
    stack.push_back(root.v);
    while (!stack.empty()) {
      const uint32_t top = stack.back();
      const ClassId c(top & ~kLeave);
      if (top != c.v) {
        stack.pop_back();
        out.classes.push_back(c);
        state[c.index()] = kDone;
        continue;
      }
      if (state[c.index()] != kNew) {
        stack.pop_back();
        continue;
      }
      state[c.index()] = kOpen;
      stack.back() = c.v | kLeave;
      for (NodeId n : store.nodes_in(c)) {
        if (!store.usable(n)) continue;
        for (ClassId child : store.children(n)) {
          // Those that are open are those above.
          if (state[child.index()] == kNew)
            stack.push_back(child.v);
          else if (state[child.index()] == kOpen)
            out.acyclic = false;
        }
      }
    }
  });
  return out;
}

}  // namespace isomer::egraph
