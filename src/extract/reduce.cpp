#include "extract/reduce.h"

#include <algorithm>
#include <tuple>

#include "extract/choices.h"
#include "extract/components.h"
#include "extract/necessary.h"

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
    root_.assign(problem.classes(), false);
    for (ClassId root : problem.roots()) {
      root_[root.index()] = true;
      roots_.push_back(root.v);
    }
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
        changed |= inline_single_nodes();
        mark_reachable();
        changed |= use_necessity();
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
    for (uint32_t root : roots_) visit(root);
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

  /// Free with one child: may have any number of users.
  bool passes_on(uint32_t c) const { return classes_[c][0].cost == 0 && classes_[c][0].children.size() == 1; }

  bool inline_single_nodes() {
    std::vector<uint32_t> uses(classes_.size(), 0);
    for (uint32_t c : order_) {
      for (const Node& n : classes_[c]) {
        for (uint32_t child : n.children) ++uses[child];
      }
    }
    // Breadth first, so a class with one user comes after that user. When an alias of many users goes, its
    // child gets them all.
    std::vector<bool> alias(classes_.size(), false);
    std::vector<uint32_t> aliases;
    for (uint32_t c : order_) {
      if (classes_[c].size() != 1 || root_[c]) continue;
      const Node& n = classes_[c][0];
      if (uses[c] > 1) {
        if (n.cost != 0 || n.children.size() != 1) continue;
        if (alias[n.children[0]] && !passes_on(n.children[0])) continue;  // already given to this one user
        uses[n.children[0]] += uses[c] - 1;
      }
      alias[c] = true;
      aliases.push_back(c);
      fixed_[c] = n.origin;
    }
    if (aliases.empty()) return false;

    const auto expand = [&](Node& n) {
      if (std::ranges::none_of(n.children, [&](uint32_t child) { return alias[child]; })) return;
      std::vector<uint32_t> children;
      for (uint32_t child : n.children) {
        if (!alias[child]) {
          children.push_back(child);
          continue;
        }
        const Node& through = classes_[child][0];
        children.insert(children.end(), through.children.begin(), through.children.end());
        n.cost += through.cost;
      }
      n.children = std::move(children);
      normalise(n);
    };
    // Aliases of aliases from the inside out. They form no ring: a ring of classes with one node has no
    // finite term.
    std::vector<bool> expanded(classes_.size(), false);
    std::vector<uint32_t> path;
    for (uint32_t start : aliases) {
      path.push_back(start);
      while (!path.empty()) {
        const uint32_t c = path.back();
        const auto& children = classes_[c][0].children;
        const auto waits = std::ranges::find_if(
            children, [&](uint32_t child) { return !expanded[c] && alias[child] && !expanded[child]; });
        if (waits != children.end()) {
          path.push_back(*waits);
          continue;
        }
        if (!expanded[c]) expand(classes_[c][0]);
        expanded[c] = true;
        path.pop_back();
      }
    }
    for (uint32_t c : order_) {
      if (alias[c]) continue;
      for (Node& n : classes_[c]) expand(n);
    }
    for (uint32_t c : order_) {
      if (alias[c]) continue;
      // What is left of the class has finite terms still: they did not need the class either.
      drop_if(c, [c](const Node& n) { return std::ranges::binary_search(n.children, c); });
    }
    return true;
  }

  bool use_necessity() {
    std::vector<uint32_t> position(classes_.size(), 0);
    for (uint32_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    Choices choices;
    for (uint32_t c : order_) {
      for (const Node& n : classes_[c]) {
        for (uint32_t child : n.children) choices.child.push_back(position[child]);
        choices.close_node();
      }
      choices.close_class();
    }
    Necessary necessary;
    const bool known = necessary.compute(choices);
    // Whether m comes with c anyway.
    const auto needs = [&](uint32_t c, uint32_t m) {
      return c == m || (known && necessary.needs(position[c], position[m]));
    };
    bool changed = false;
    if (known) {
      changed |= drop_implied_children(needs);
      changed |= promote_necessary(choices, necessary);
    }
    for (uint32_t c : order_) changed |= drop_dominated(classes_[c], needs);
    return changed;
  }

  // A child that another child needs anyway.
  bool drop_implied_children(const auto& needs) {
    bool changed = false;
    for (uint32_t c : order_) {
      for (Node& n : classes_[c]) {
        const std::vector<uint32_t> all = n.children;
        changed |= std::erase_if(n.children, [&](uint32_t m) {
                     return std::ranges::any_of(all, [&](uint32_t k) { return k != m && needs(k, m); });
                   }) > 0;
      }
    }
    return changed;
  }

  // What the roots cannot do without becomes a root itself, and nobody else needs to ask for it; only edges
  // that can lie on a cycle stay. This takes the graph apart at its bottlenecks.
  bool promote_necessary(const Choices& choices, const Necessary& necessary) {
    std::vector<bool> promoted(order_.size(), false);
    std::vector<uint32_t> sources;
    for (uint32_t i = 0; i < order_.size(); ++i) {
      if (root_[order_[i]]) sources.push_back(i);
    }
    bool changed = false;
    for (uint32_t i = 0; i < order_.size(); ++i) {
      promoted[i] = std::ranges::any_of(sources, [&](uint32_t r) { return necessary.needs(r, i); });
      if (!promoted[i] || root_[order_[i]]) continue;
      root_[order_[i]] = changed = true;
      roots_.push_back(order_[i]);
    }
    const std::vector<uint32_t> component = strong_components(choices).of;
    std::vector<uint32_t> position(classes_.size(), 0);
    for (uint32_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    for (uint32_t c : order_) {
      for (Node& n : classes_[c]) {
        changed |= std::erase_if(n.children, [&](uint32_t m) {
                     return promoted[position[m]] && component[position[m]] != component[position[c]];
                   }) > 0;
      }
    }
    return changed;
  }

  static bool drop_dominated(std::vector<Node>& nodes, const auto& needs) {
    if (nodes.size() < 2) return false;
    const size_t before = nodes.size();
    // b can stand for a if whatever it needs comes with a.
    const auto stands_for = [&](const Node& b, const Node& a) {
      return b.cost <= a.cost && std::ranges::all_of(b.children, [&](uint32_t x) {
               return std::ranges::any_of(a.children, [&](uint32_t m) { return needs(m, x); });
             });
    };
    std::ranges::stable_sort(nodes, [](const Node& a, const Node& b) {
      return std::tuple(a.cost, a.children.size(), a.origin) <
             std::tuple(b.cost, b.children.size(), b.origin);
    });
    std::vector<Node> kept;
    for (Node& n : nodes) {
      // In classes of thousands of nodes only the cheapest are tried, to stay linear.
      const auto tried = kept.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(kept.size(), 256));
      if (std::any_of(kept.begin(), tried, [&](const Node& k) { return stands_for(k, n); })) continue;
      std::erase_if(kept, [&](const Node& k) { return k.cost == n.cost && stands_for(n, k); });
      kept.push_back(std::move(n));
    }
    nodes = std::move(kept);
    return nodes.size() < before;
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
    for (uint32_t root : roots_) builder.add_root(number[root]);
    result.problem = builder.build();
  }

  const Problem& original_;
  std::vector<std::vector<Node>> classes_;
  std::vector<NodeId> fixed_;
  std::vector<uint32_t> roots_;  // the problem's, and what they cannot do without
  std::vector<bool> root_;
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
