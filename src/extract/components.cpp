#include "extract/components.h"

#include <algorithm>
#include <numeric>

namespace isomer::extract {

Components strong_components(const Choices& choices) {
  constexpr uint32_t kNone = 0xFFFFFFFFu;
  const size_t count = choices.classes();
  Components result;
  result.of.assign(count, kNone);
  std::vector<uint32_t> order(count, kNone);
  std::vector<uint32_t> low(count, 0);
  std::vector<uint32_t> open;  // classes that have no component yet
  struct Frame {
    uint32_t c;
    size_t next;  // child
  };
  std::vector<Frame> path;
  uint32_t next_order = 0;
  const auto enter = [&](uint32_t c) {
    order[c] = low[c] = next_order++;
    open.push_back(c);
    path.push_back({c, 0});
  };
  for (uint32_t start = 0; start < count; ++start) {
    if (order[start] != kNone) continue;
    enter(start);
    while (!path.empty()) {
      Frame& f = path.back();
      const uint32_t c = f.c;
      const auto children = choices.children_of_class(c);
      if (f.next < children.size()) {
        const uint32_t child = children[f.next++];
        if (order[child] == kNone) {
          enter(child);
        } else if (result.of[child] == kNone) {
          low[c] = std::min(low[c], order[child]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().c] = std::min(low[path.back().c], low[c]);
      if (low[c] != order[c]) continue;
      const uint32_t number = static_cast<uint32_t>(result.size.size());
      result.size.push_back(0);
      uint32_t member = kNone;
      do {
        member = open.back();
        open.pop_back();
        result.of[member] = number;
        ++result.size.back();
      } while (member != c);
    }
  }
  return result;
}

Components weak_components(const Choices& choices) {
  std::vector<uint32_t> above(choices.classes());
  std::iota(above.begin(), above.end(), 0u);
  const auto find = [&](uint32_t c) {
    while (above[c] != c) c = above[c] = above[above[c]];
    return c;
  };
  for (uint32_t c = 0; c < choices.classes(); ++c) {
    for (uint32_t m : choices.children_of_class(c)) {
      const uint32_t a = find(c);
      const uint32_t b = find(m);
      above[std::max(a, b)] = std::min(a, b);
    }
  }
  Components result;
  result.of.resize(choices.classes());
  for (uint32_t c = 0; c < choices.classes(); ++c) {
    if (above[c] == c) {
      result.of[c] = static_cast<uint32_t>(result.size.size());
      result.size.push_back(0);
    } else {
      result.of[c] = result.of[find(c)];
    }
    ++result.size[result.of[c]];
  }
  return result;
}

}  // namespace isomer::extract
