#include "egraph/cycles.h"

#include <algorithm>
#include <cassert>

#include "egraph/order.h"
#include "support/unknown_word.h"

namespace isomer::egraph {

namespace {

/// Depth-first search over classes through usable nodes; calls on_cycle(path, target) at each edge to a class
/// that is on the path, and goes on. `path` holds the class and the node taken out of it, from the root down.
struct PathStep {
  ClassId c;
  NodeId taken;
};

template <class OnCycle>
void search_cycles(const Store& g, std::span<const ClassId> roots, OnCycle&& on_cycle) {
  enum : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    size_t node = 0, child = 0;
  };
  std::vector<uint8_t> state(g.slots(), kNew);
  std::vector<PathStep> path;
  std::vector<Frame> frames;
  const auto enter = [&](ClassId c) {
    state[c.index()] = kOpen;
    path.push_back({c, {}});
    frames.push_back({});
  };
  for (ClassId root : roots) {
    if (state[root.index()] != kNew) continue;
    enter(root);
    while (!path.empty()) {
      const auto nodes = g.nodes_in(path.back().c);
      Frame& f = frames.back();
      if (f.node == nodes.size()) {
        state[path.back().c.index()] = kDone;
        path.pop_back();
        frames.pop_back();
        continue;
      }
      const NodeId n = nodes[f.node];
      const auto children = g.children(n);
      if (!g.usable(n) || f.child == children.size()) {
        ++f.node;
        f.child = 0;
        continue;
      }
      const ClassId child = g.find(children[f.child++]);
      path.back().taken = n;
      if (state[child.index()] == kNew)
        enter(child);
      else if (state[child.index()] == kOpen && !on_cycle(std::span<const PathStep>(path), child))
        return;
    }
  }
}

/// For each class a node by which it has a finite term, so that every class stays extractable whatever else
/// is filtered. The program's own nodes come first: the program is acyclic, so they found all its classes.
std::vector<NodeId> witnesses(const Store& g, size_t own) {
  const ParentIndex parents(g);
  std::vector<NodeId> witness(g.slots());
  std::vector<uint32_t> waiting(g.slots());
  std::vector<ClassId> settled;
  const auto settle = [&](NodeId n) {
    const ClassId c = g.class_of(n);
    if (witness[c.index()].valid()) return;
    witness[c.index()] = n;
    settled.push_back(c);
  };
  const auto run = [&](size_t limit) {
    for (size_t i = 0; i < settled.size(); ++i)
      for (NodeId n : parents.parents(settled[i]))
        if (n.index() < limit && g.usable(n) && --waiting[n.index()] == 0) settle(n);
  };
  const auto begin = [&](size_t from, size_t limit) {
    std::vector<NodeId> ready;  // settled only when all counts are taken
    for (size_t i = from; i < limit; ++i) {
      const NodeId n(i);
      if (!g.usable(n)) continue;
      waiting[i] = static_cast<uint32_t>(std::ranges::count_if(
          g.children(n), [&](ClassId c) { return !witness[g.find(c).index()].valid(); }));
      if (waiting[i] == 0) ready.push_back(n);
    }
    for (NodeId n : ready) settle(n);
  };
  begin(0, own);
  run(own);
  settled.clear();
  begin(own, g.slots());
  run(g.slots());
  return witness;
}

}  // namespace

CycleMode cycle_mode(const std::string& word) {
  return choose<CycleMode>("--cycles", word,
                           {{"none", CycleMode::kNone},
                            {"efficient", CycleMode::kEfficient},
                            {"vanilla", CycleMode::kVanilla},
                            {"vanilla-multi", CycleMode::kVanillaMulti},
                            {"online", CycleMode::kOnline}});
}

DescendantMap::DescendantMap(const Store& g) {
  // There are no cycles while the filter is on.
  const std::vector<ClassId> order = children_first(g).classes;
  row_.assign(g.slots(), 0xFFFFFFFFu);
  for (size_t i = 0; i < order.size(); ++i) row_[order[i].index()] = static_cast<uint32_t>(i);
  words_ = (order.size() + 63) / 64;
  bits_.assign(words_ * order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    uint64_t* mine = bits_.data() + i * words_;
    mine[i / 64] |= uint64_t{1} << (i % 64);
    for (NodeId n : g.nodes_in(order[i])) {
      if (!g.usable(n)) continue;
      for (ClassId child : g.children(n)) {
        const uint64_t* theirs = bits_.data() + row_[g.find(child).index()] * words_;
        for (size_t w = 0; w < words_; ++w) mine[w] |= theirs[w];
      }
    }
  }
}

bool DescendantMap::reaches(ClassId from, ClassId to) const {
  if (from.index() >= row_.size() || to.index() >= row_.size()) return false;
  const uint32_t row = row_[from.index()], column = row_[to.index()];
  if (row == 0xFFFFFFFFu || column == 0xFFFFFFFFu) return false;
  return (bits_[row * words_ + column / 64] >> (column % 64)) & 1;
}

bool reaches_now(const Store& g, std::span<const ClassId> from, std::span<const ClassId> to) {
  std::vector<bool> seen(g.slots()), target(g.slots());
  for (ClassId t : to) target[g.find(t).index()] = true;
  std::vector<ClassId> stack;
  const auto push = [&](ClassId c) {
    c = g.find(c);
    if (seen[c.index()]) return;
    seen[c.index()] = true;
    stack.push_back(c);
  };
  for (ClassId c : from) push(c);
  while (!stack.empty()) {
    const ClassId c = stack.back();
    stack.pop_back();
    if (target[c.index()]) return true;
    g.for_each_node(c, [&](NodeId n) {
      if (g.usable(n)) std::ranges::for_each(g.children(n), push);
    });
  }
  return false;
}

size_t break_cycles(Store& g, std::span<const ClassId> roots, size_t own) {
  size_t filtered = 0;
  std::vector<NodeId> witness;
  for (bool again = true; again;) {
    again = false;
    search_cycles(g, roots, [&](std::span<const PathStep> path, ClassId target) {
      if (witness.empty()) witness = witnesses(g, own);
      NodeId newest;
      size_t i = path.size();
      do {
        --i;
        const NodeId n = path[i].taken;
        if (g.filtered(n)) return true;  // broken already in this pass
        if (n != witness[path[i].c.index()] && (!newest.valid() || n > newest)) newest = n;
      } while (path[i].c != target);
      assert(newest.valid());  // witnesses alone make no cycle
      g.filter(newest);
      ++filtered;
      again = true;
      return true;
    });
  }
  return filtered;
}

bool has_cycle(const Store& g, std::span<const ClassId> roots) {
  bool found = false;
  search_cycles(g, roots, [&](std::span<const PathStep>, ClassId) {
    found = true;
    return false;
  });
  return found;
}

}  // namespace isomer::egraph
