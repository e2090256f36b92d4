#include "extract/reduce.h"

#include <algorithm>
#include <tuple>

namespace isomer::extract {

namespace {

struct Node {
  NodeId origin;
  double cost;
  std::vector<uint32_t> children;  // sorted, without duplicates
};

class Reducer {
 public:
  explicit Reducer(const Problem& problem) : original_(problem), classes_(problem.classes()) {
    fixed_.resize(problem.classes());
    for (uint32_t n = 0; n < problem.nodes(); ++n) {
      const NodeId id(n);
      Node node{id, problem.cost(id), {}};
      non_negative_ = non_negative_ && node.cost >= 0;
      for (ClassId c : problem.children(id)) node.children.push_back(c.v);
      normalise(node);
      classes_[problem.class_of(id).index()].push_back(std::move(node));
    }
  }

  Reduced run() {
    Reduced result;
    drop_underivable();
    for (ClassId root : original_.roots()) {
      if (classes_[root.index()].empty()) return result;
    }
    if (non_negative_) {
      bool changed = true;
      for (int round = 0; changed && round < 20; ++round) {
        mark_reachable();
        changed = forget_free_leaves();
        changed |= inline_aliases();
        changed |= drop_dominated();
      }
    }
    mark_reachable();
    write(result);
    return result;
  }

 private:
  static void normalise(Node& node) {
    std::ranges::sort(node.children);
    const auto rest = std::ranges::unique(node.children);
    node.children.erase(rest.begin(), rest.end());
  }

  void drop_if(uint32_t c, auto&& condition) { std::erase_if(classes_[c], condition); }

  // Keeps the nodes whose children all have finite terms and none of which needs its own class. Least fixed
  // point from the leaves.
  void drop_underivable() {
    std::vector<bool> derivable(classes_.size(), false);
    std::vector<std::vector<uint32_t>> users(classes_.size());
    for (uint32_t c = 0; c < classes_.size(); ++c) {
      drop_if(c, [c](const Node& n) { return std::ranges::binary_search(n.children, c); });
      for (const Node& n : classes_[c]) {
        for (uint32_t child : n.children) users[child].push_back(c);
      }
    }
    std::vector<uint32_t> work(classes_.size());
    for (uint32_t c = 0; c < classes_.size(); ++c) work[c] = c;
    const auto ready = [&](const Node& n) {
      return std::ranges::all_of(n.children, [&](uint32_t child) { return derivable[child]; });
    };
    while (!work.empty()) {
      const uint32_t c = work.back();
      work.pop_back();
      if (derivable[c] || std::ranges::none_of(classes_[c], ready)) continue;
      derivable[c] = true;
      work.insert(work.end(), users[c].begin(), users[c].end());
    }
    for (uint32_t c = 0; c < classes_.size(); ++c) {
      drop_if(c, [&](const Node& n) { return !ready(n); });
    }
  }

  void mark_reachable() {
    reachable_.assign(classes_.size(), false);
    order_.clear();
    for (ClassId root : original_.roots()) visit(root.v);
    for (size_t i = 0; i < order_.size(); ++i) {
      for (const Node& n : classes_[order_[i]]) {
        for (uint32_t child : n.children) visit(child);
      }
    }
  }
  void visit(uint32_t c) {
    if (reachable_[c]) return;
    reachable_[c] = true;
    order_.push_back(c);
  }
  bool is_root(uint32_t c) const {
    return std::ranges::find(original_.roots(), ClassId(c)) != original_.roots().end();
  }

  // A class that has a free leaf is satisfied for nothing.
  bool forget_free_leaves() {
    std::vector<bool> free(classes_.size(), false);
    bool any = false;
    bool more = true;
    while (more) {
      more = false;
      for (uint32_t c : order_) {
        if (free[c]) continue;
        for (const Node& n : classes_[c]) {
          if (n.cost != 0 || !n.children.empty()) continue;
          free[c] = more = true;
          break;
        }
      }
      if (!more) break;
      any = true;
      for (uint32_t c : order_) {
        if (free[c]) {
          if (classes_[c].size() == 1) continue;
          // Keep the leaf alone.
          const auto leaf = std::ranges::find_if(
              classes_[c], [](const Node& n) { return n.cost == 0 && n.children.empty(); });
          Node kept = std::move(*leaf);
          classes_[c].clear();
          classes_[c].push_back(std::move(kept));
        }
        for (Node& n : classes_[c]) {
          std::erase_if(n.children, [&](uint32_t child) { return free[child]; });
        }
      }
    }
    bool changed = false;
    for (uint32_t c : order_) {
      if (free[c] && !fixed_[c].valid()) {
        fixed_[c] = classes_[c][0].origin;
        changed = true;
      }
    }
    return any && changed;
  }

  bool inline_aliases() {
    std::vector<uint32_t> uses(classes_.size(), 0);
    for (uint32_t c : order_) {
      for (const Node& n : classes_[c]) {
        for (uint32_t child : n.children) ++uses[child];
      }
    }
    std::vector<bool> alias(classes_.size(), false);
    bool any = false;
    for (uint32_t c : order_) {
      if (classes_[c].size() != 1 || is_root(c)) continue;
      const Node& n = classes_[c][0];
      if (n.cost != 0 || n.children.empty()) continue;
      if (n.children.size() > 1 && uses[c] > 1) continue;
      // A chain of aliases is followed one link a round, so that a ring of them cannot loop here.
      if (std::ranges::any_of(n.children, [&](uint32_t child) { return alias[child]; })) continue;
      alias[c] = any = true;
      fixed_[c] = n.origin;
    }
    if (!any) return false;
    for (uint32_t c : order_) {
      for (Node& n : classes_[c]) {
        std::vector<uint32_t> children;
        bool changed = false;
        for (uint32_t child : n.children) {
          if (alias[child] && child != c) {
            const auto& through = classes_[child][0].children;
            children.insert(children.end(), through.begin(), through.end());
            changed = true;
          } else {
            children.push_back(child);
          }
        }
        if (!changed) continue;
        n.children = std::move(children);
        normalise(n);
      }
    }
    for (uint32_t c : order_) {
      if (alias[c]) continue;
      drop_if(c, [c](const Node& n) { return std::ranges::binary_search(n.children, c); });
    }
    drop_underivable();
    return true;
  }

  bool drop_dominated() {
    bool any = false;
    for (uint32_t c : order_) {
      std::vector<Node>& nodes = classes_[c];
      if (nodes.size() < 2) continue;
      // Fewest children first, then cheapest, then oldest: a node can only be dominated by an earlier one.
      std::ranges::stable_sort(nodes, [](const Node& a, const Node& b) {
        return std::tuple(a.children.size(), a.cost, a.origin) <
               std::tuple(b.children.size(), b.cost, b.origin);
      });
      std::vector<Node> kept;
      for (Node& n : nodes) {
        // In classes of thousands of nodes only the first ones are tried as dominators, to stay linear.
        const size_t tried = std::min<size_t>(kept.size(), 256);
        const bool dominated = std::any_of(
            kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(tried),
            [&](const Node& k) { return k.cost <= n.cost && std::ranges::includes(n.children, k.children); });
        if (!dominated) kept.push_back(std::move(n));
      }
      any |= kept.size() < nodes.size();
      nodes = std::move(kept);
    }
    return any;
  }

  void write(Reduced& result) {
    result.feasible = true;
    result.fixed = std::move(fixed_);
    // A class that is still reachable is decided by its picks, unless it was forgotten with one node left.
    std::ranges::sort(order_);
    std::vector<ClassId> number(classes_.size());
    ProblemBuilder builder;
    for (uint32_t c : order_) {
      number[c] = builder.add_class();
      result.class_of.push_back(ClassId(c));
    }
    std::vector<ClassId> children;
    for (uint32_t c : order_) {
      for (const Node& n : classes_[c]) {
        children.clear();
        for (uint32_t child : n.children) children.push_back(number[child]);
        builder.add_node(number[c], n.cost, children);
        result.node_of.push_back(n.origin);
      }
    }
    for (ClassId root : original_.roots()) builder.add_root(number[root.index()]);
    result.problem = builder.build();
  }

  const Problem& original_;
  std::vector<std::vector<Node>> classes_;
  std::vector<NodeId> fixed_;
  std::vector<bool> reachable_;
  std::vector<uint32_t> order_;  // reachable classes, breadth first
  bool non_negative_ = true;
};

}  // namespace

Selection Reduced::lift(const Problem& original, const Selection& selection) const {
  Selection all(original.classes());
  for (uint32_t c = 0; c < fixed.size(); ++c) {
    if (fixed[c].valid()) all.pick(ClassId(c), fixed[c]);
  }
  for (uint32_t c = 0; c < class_of.size(); ++c) {
    const NodeId n = selection[ClassId(c)];
    if (n.valid()) all.pick(class_of[c], node_of[n.index()]);
  }
  return all;
}

Reduced reduce(const Problem& problem) { return Reducer(problem).run(); }

}  // namespace isomer::extract
