#include "extract/separation.h"
#include "support/rng.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>

namespace isomer::extract {

namespace {

constexpr double kLeast = 1e-6;      // what counts as picked at all
constexpr double kViolation = 1e-3;  // what is worth a row
constexpr int kShuffles = 3;

void keep_most_violated(std::vector<Cut>& cuts, size_t limit) {
  std::ranges::stable_sort(cuts, std::greater<>(), &Cut::violation);
  if (cuts.size() > limit) cuts.resize(limit);
}

// Maximum flow by shortest augmenting paths, on graphs of some hundred arcs.
class Flow {
 public:
  explicit Flow(size_t vertices) : first_(vertices, kNone) {}

  void add_arc(uint32_t from, uint32_t to, double capacity) {
    arcs_.push_back({to, first_[from], capacity});
    first_[from] = static_cast<uint32_t>(arcs_.size() - 1);
    arcs_.push_back({from, first_[to], 0});
    first_[to] = static_cast<uint32_t>(arcs_.size() - 1);
  }

  /// Up to `enough`; afterwards source_side() is the minimum cut, if the flow is less.
  double run(uint32_t source, uint32_t sink, double enough) {
    double flow = 0;
    while (flow < enough && search(source, sink)) {
      double extra = enough - flow;
      for (uint32_t v = sink; v != source; v = arcs_[via_[v] ^ 1].to)
        extra = std::min(extra, arcs_[via_[v]].left);
      for (uint32_t v = sink; v != source; v = arcs_[via_[v] ^ 1].to) {
        arcs_[via_[v]].left -= extra;
        arcs_[via_[v] ^ 1].left += extra;
      }
      flow += extra;
    }
    return flow;
  }
  bool source_side(uint32_t v) const { return via_[v] != kNone; }

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  struct Arc {
    uint32_t to, next;
    double left;
  };

  bool search(uint32_t source, uint32_t sink) {
    via_.assign(first_.size(), kNone);
    via_[source] = kNone - 1;
    queue_.assign(1, source);
    for (size_t i = 0; i < queue_.size(); ++i) {
      for (uint32_t a = first_[queue_[i]]; a != kNone; a = arcs_[a].next) {
        if (arcs_[a].left <= 1e-9 || via_[arcs_[a].to] != kNone) continue;
        via_[arcs_[a].to] = a;
        if (arcs_[a].to == sink) return true;
        queue_.push_back(arcs_[a].to);
      }
    }
    return false;
  }

  std::vector<uint32_t> first_;
  std::vector<Arc> arcs_;
  std::vector<uint32_t> via_;  // by vertex: the arc that the search came by
  std::vector<uint32_t> queue_;
};

// Which classes have a finite term if some nodes are forbidden, and what allowing them one by one adds.
class Derivable {
 public:
  explicit Derivable(const Problem& problem)
      : problem_(problem),
        missing_(problem.nodes()),
        derived_(problem.classes()),
        first_(problem.classes() + 1, 0) {
    for (uint32_t n = 0; n < problem.nodes(); ++n) {
      for (ClassId m : problem.children(NodeId(n))) ++first_[m.index() + 1];
    }
    for (size_t c = 0; c < problem.classes(); ++c) first_[c + 1] += first_[c];
    user_.resize(problem.edges());
    std::vector<uint32_t> at(first_.begin(), first_.end());
    for (uint32_t n = 0; n < problem.nodes(); ++n) {
      for (ClassId m : problem.children(NodeId(n))) user_[at[m.index()]++] = NodeId(n);
    }
  }

  void start(std::span<const NodeId> forbidden) {
    derived_.assign(problem_.classes(), false);
    for (uint32_t n = 0; n < problem_.nodes(); ++n)
      missing_[n] = static_cast<uint32_t>(problem_.children(NodeId(n)).size());
    for (NodeId n : forbidden) ++missing_[n.index()];
    trail_.clear();
    for (uint32_t n = 0; n < problem_.nodes(); ++n) {
      if (missing_[n] == 0) derive(NodeId(n));
    }
    propagate(0, ClassId());
  }

  /// Allows a forbidden node, unless `target` has a term then.
  bool allow(NodeId n, ClassId target) {
    if (--missing_[n.index()] > 0) return true;
    if (problem_.class_of(n) == target) {
      ++missing_[n.index()];
      return false;
    }
    trail_.clear();
    derive(n);
    if (propagate(0, target)) return true;
    for (ClassId c : trail_) {
      derived_[c.index()] = false;
    }
    // Uses were counted for the classes that were taken off the trail.
    for (size_t i = 0; i < counted_; ++i) {
      for (uint32_t u = first_[trail_[i].index()]; u < first_[trail_[i].index() + 1]; ++u)
        ++missing_[user_[u].index()];
    }
    ++missing_[n.index()];
    return false;
  }

 private:
  void derive(NodeId n) {
    const ClassId c = problem_.class_of(n);
    if (derived_[c.index()]) return;
    derived_[c.index()] = true;
    trail_.push_back(c);
  }
  // False as soon as `target` is derived.
  bool propagate(size_t from, ClassId target) {
    for (counted_ = from; counted_ < trail_.size();) {
      const ClassId c = trail_[counted_++];
      for (uint32_t u = first_[c.index()]; u < first_[c.index() + 1]; ++u) {
        const NodeId n = user_[u];
        if (--missing_[n.index()] == 0) derive(n);
      }
      if (target.valid() && derived_[target.index()]) return false;
    }
    return true;
  }

  const Problem& problem_;
  std::vector<uint32_t> missing_;  // by node: children without a term, and one more if it is forbidden
  std::vector<bool> derived_;
  std::vector<uint32_t> first_;  // by class, into user_: a node for each time that it needs the class
  std::vector<NodeId> user_;
  std::vector<ClassId> trail_;  // classes derived since the last start or allow
  size_t counted_ = 0;          // of these, whose users know
};

// Some classes under a fractional solution.
class LoopSeparator {
 public:
  LoopSeparator(const CoverModel& model, const std::vector<double>& x, std::vector<ClassId> classes)
      : model_(model),
        x_(x),
        classes_(std::move(classes)),
        number_(model.problem().classes(), kOutside),
        derivable_(model.problem()) {
    for (uint32_t i = 0; i < classes_.size(); ++i) number_[classes_[i].index()] = i;
    const std::vector<double> supply = supplies();
    const Problem& problem = model.problem();
    for (uint32_t i = 0; i < classes_.size(); ++i) {
      for (NodeId n : problem.nodes_of(classes_[i])) {
        const double weight = value(model.column(n));
        if (weight < kLeast) continue;
        uint32_t block = kOutside;
        for (ClassId m : problem.children(n)) {
          const uint32_t child = number_[m.index()];
          if (child == kOutside) continue;
          if (block == kOutside || supply[child] < supply[block]) block = child;
        }
        support_.push_back({n, i, block, weight});
      }
    }
  }

  /// Each node is blocked by any of its children here.
  void shuffle(Rng& rng) {
    for (Support& s : support_) {
      uint32_t seen = 0;
      for (ClassId m : model_.problem().children(s.node)) {
        if (number_[m.index()] != kOutside && rng.below(++seen) == 0) s.block = number_[m.index()];
      }
    }
  }

  void cuts(std::vector<Cut>& out, size_t limit) {
    std::vector<uint32_t> targets(classes_.size());
    for (uint32_t i = 0; i < targets.size(); ++i) targets[i] = i;
    std::ranges::stable_sort(targets, std::greater<>(),
                             [&](uint32_t i) { return value(model_.column(classes_[i])); });
    std::vector<bool> covered(classes_.size(), false);
    size_t tried = 0;
    size_t found = 0;
    for (uint32_t t : targets) {
      if (covered[t] || found >= limit || tried++ >= kMostTargets) continue;
      // What is cut once counts as whole, so that the next cut for this class is another one.
      std::vector<double> weight(support_.size());
      for (size_t i = 0; i < support_.size(); ++i) weight[i] = support_[i].weight;
      for (int nested = 0; nested < kMostNested && found < limit; ++nested) {
        const std::vector<bool> side = violated(t, weight);
        if (side.empty()) break;
        Cut row = cut(t, side);
        for (size_t i = 0; i < support_.size(); ++i) {
          if (side[support_[i].owner] && !child_inside(support_[i].node, side)) weight[i] = 1;
        }
        for (uint32_t i = 0; i < side.size(); ++i) covered[i] = covered[i] || side[i];
        if (row.entries.empty()) continue;
        out.push_back(std::move(row));
        ++found;
      }
    }
  }

 private:
  static constexpr uint32_t kOutside = 0xFFFFFFFFu;
  static constexpr size_t kMostTargets = 300;
  static constexpr int kMostNested = 10;
  struct Support {
    NodeId node;
    uint32_t owner;
    uint32_t block;  // the child here that the node is taken to need
    double weight;
  };

  double value(int32_t column) const { return x_[static_cast<size_t>(column)]; }

  // How much of each class could be carried down to leaves at most, if it were alone.
  std::vector<double> supplies() const {
    std::vector<double> supply(classes_.size(), 0);
    const Problem& problem = model_.problem();
    for (int pass = 0; pass < 8; ++pass) {
      bool changed = false;
      for (size_t i = classes_.size(); i-- > 0;) {
        double sum = 0;
        for (NodeId n : problem.nodes_of(classes_[i])) {
          double least = value(model_.column(n));
          if (least < kLeast) continue;
          for (ClassId m : problem.children(n)) {
            if (number_[m.index()] != kOutside) least = std::min(least, supply[number_[m.index()]]);
          }
          sum += least;
        }
        changed = changed || sum > supply[i] + 1e-9;
        supply[i] = std::max(supply[i], sum);
      }
      if (!changed) break;
    }
    return supply;
  }

  // The side of t of a violated cut, empty if none was found.
  std::vector<bool> violated(uint32_t t, const std::vector<double>& weight) {
    std::vector<bool> best;
    double least = value(model_.column(classes_[t])) - kViolation;
    for (int round = 0; round < 4; ++round) {
      std::vector<bool> side = minimum_cut(t, weight);
      if (side.empty()) break;
      const double crossing = exits(side, weight);
      if (crossing >= least - 1e-9) break;
      least = crossing;
      best = std::move(side);
      block_inside(best);
    }
    return best;
  }

  std::vector<bool> minimum_cut(uint32_t t, const std::vector<double>& weight) const {
    const auto ground = static_cast<uint32_t>(classes_.size());
    Flow flow(classes_.size() + 1);
    for (size_t i = 0; i < support_.size(); ++i) {
      const Support& s = support_[i];
      if (s.block != s.owner) flow.add_arc(s.owner, s.block == kOutside ? ground : s.block, weight[i]);
    }
    const double wanted = value(model_.column(classes_[t]));
    if (flow.run(t, ground, wanted) >= wanted - kViolation) return {};
    std::vector<bool> side(classes_.size());
    for (uint32_t i = 0; i < classes_.size(); ++i) side[i] = flow.source_side(i);
    return side;
  }

  bool child_inside(NodeId n, const std::vector<bool>& side) const {
    return std::ranges::any_of(model_.problem().children(n), [&](ClassId m) {
      return number_[m.index()] != kOutside && side[number_[m.index()]];
    });
  }
  double exits(const std::vector<bool>& side, const std::vector<double>& weight) const {
    double sum = 0;
    for (size_t i = 0; i < support_.size(); ++i) {
      if (side[support_[i].owner] && !child_inside(support_[i].node, side)) sum += weight[i];
    }
    return sum;
  }
  void block_inside(const std::vector<bool>& side) {
    for (Support& s : support_) {
      if (!side[s.owner]) continue;
      for (ClassId m : model_.problem().children(s.node)) {
        const uint32_t child = number_[m.index()];
        if (child != kOutside && side[child]) s.block = child;
      }
    }
  }

  // The exits of a side are nodes without one of which t has no term. As few of them as will do: those with
  // the most weight are given back first.
  Cut cut(uint32_t t, const std::vector<bool>& side) {
    std::vector<NodeId> needed;
    for (uint32_t i = 0; i < classes_.size(); ++i) {
      if (!side[i]) continue;
      for (NodeId n : model_.problem().nodes_of(classes_[i])) {
        if (!child_inside(n, side)) needed.push_back(n);
      }
    }
    std::ranges::stable_sort(needed, std::greater<>(), [&](NodeId n) { return value(model_.column(n)); });
    derivable_.start(needed);
    std::erase_if(needed, [&](NodeId n) { return derivable_.allow(n, classes_[t]); });
    const int32_t own = model_.column(classes_[t]);
    Cut result;
    result.violation = value(own);
    result.entries.push_back({own, 1});
    for (NodeId n : needed) {
      if (model_.column(n) == own) return {};  // says nothing
      result.violation -= value(model_.column(n));
    }
    if (result.violation < kViolation) return {};
    // Of a class that gives most of its nodes, the class less the others.
    std::ranges::stable_sort(needed, {}, [&](NodeId n) { return model_.problem().class_of(n); });
    for (size_t from = 0, to = 0; from < needed.size(); from = to) {
      const ClassId c = model_.problem().class_of(needed[from]);
      while (to < needed.size() && model_.problem().class_of(needed[to]) == c) ++to;
      const auto all = model_.problem().nodes_of(c);
      const std::span<const NodeId> some(needed.data() + from, to - from);
      if (c == classes_[t] || 2 * some.size() <= all.size() + 1) {
        for (NodeId n : some) result.entries.push_back({model_.column(n), -1});
        continue;
      }
      result.entries.push_back({model_.column(c), -1});
      for (NodeId n : all) {
        if (std::ranges::find(some, n) == some.end()) result.entries.push_back({model_.column(n), 1});
      }
    }
    return result;
  }

  const CoverModel& model_;
  const std::vector<double>& x_;
  std::vector<ClassId> classes_;
  std::vector<uint32_t> number_;
  std::vector<Support> support_;
  Derivable derivable_;
};

}  // namespace

std::vector<Cut> necessity_cuts(const CoverModel& model, const Necessary& necessary,
                                const std::vector<double>& x, size_t limit) {
  const Problem& problem = model.problem();
  const auto value = [&](int32_t column) { return x[static_cast<size_t>(column)]; };
  std::vector<Cut> cuts;
  std::vector<double> sum(problem.classes(), 0);
  std::vector<uint32_t> users(problem.classes(), 0);
  std::vector<uint64_t> join(necessary.words());
  std::vector<uint32_t> touched;
  for (uint32_t i = 0; i < problem.classes(); ++i) {
    const ClassId c(i);
    const auto nodes = problem.nodes_of(c);
    if (nodes.size() < 2 || value(model.column(c)) < kLeast) continue;
    touched.clear();
    for (NodeId n : nodes) {
      const double weight = value(model.column(n));
      if (weight < kLeast) continue;
      necessary.of_all(problem.children(n), join);
      for (size_t w = 0; w < join.size(); ++w) {
        for (uint64_t bits = join[w]; bits != 0; bits &= bits - 1) {
          const auto m = static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(bits)));
          if (users[m]++ == 0) touched.push_back(m);
          sum[m] += weight;
        }
      }
    }
    std::erase_if(touched, [&](uint32_t m) {
      if (m != i && sum[m] > value(model.column(ClassId(m))) + kViolation) return false;
      sum[m] = 0;
      users[m] = 0;
      return true;
    });
    for (uint32_t m : touched) {
      // The same of a class in between says more.
      const bool implied = std::ranges::any_of(touched, [&](uint32_t k) {
        return k != m && users[k] == users[m] && necessary.needs(k, m) && (k < m || !necessary.needs(m, k));
      });
      if (implied) continue;
      Cut cut;
      cut.violation = sum[m] - value(model.column(ClassId(m)));
      cut.entries.push_back({model.column(ClassId(m)), -1});
      size_t needing = 0;
      for (NodeId n : nodes) {
        const bool needs =
            std::ranges::any_of(problem.children(n), [&](ClassId k) { return necessary.needs(k.v, m); });
        if (!needs) continue;
        cut.entries.push_back({model.column(n), 1});
        ++needing;
      }
      if (needing == nodes.size()) {
        cut.entries.resize(1);
        cut.entries.push_back({model.column(c), 1});
      }
      cuts.push_back(std::move(cut));
    }
    for (uint32_t m : touched) {
      sum[m] = 0;
      users[m] = 0;
    }
  }
  keep_most_violated(cuts, limit);
  return cuts;
}

std::vector<Cut> loop_cuts(const CoverModel& model, const std::vector<double>& x, size_t limit) {
  const Problem& problem = model.problem();
  std::vector<ClassId> classes;
  for (uint32_t c = 0; c < problem.classes(); ++c) {
    if (x[static_cast<size_t>(model.column(ClassId(c)))] >= kLeast) classes.push_back(ClassId(c));
  }
  std::vector<Cut> cuts;
  LoopSeparator separator(model, x, std::move(classes));
  separator.cuts(cuts, limit);
  Rng rng(1);
  for (int again = 0; again < kShuffles && cuts.size() < limit; ++again) {
    separator.shuffle(rng);
    separator.cuts(cuts, limit);
  }
  keep_most_violated(cuts, limit);
  return cuts;
}

std::vector<std::vector<ClassId>> cycles(const Problem& problem, const Selection& selection) {
  std::vector<std::vector<ClassId>> found;
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(problem.classes(), kNew);
  struct Frame {
    ClassId c;
    size_t next;
  };
  std::vector<Frame> path;
  for (ClassId root : problem.roots()) {
    if (state[root.index()] == kNew) path.push_back({root, 0});
    while (!path.empty()) {
      Frame& f = path.back();
      state[f.c.index()] = kOpen;
      const auto children = problem.children(selection[f.c]);
      if (f.next == children.size()) {
        state[f.c.index()] = kDone;
        path.pop_back();
        continue;
      }
      const ClassId child = children[f.next++];
      if (state[child.index()] == kNew) {
        path.push_back({child, 0});
      } else if (state[child.index()] == kOpen) {
        auto from = std::ranges::find(path, child, &Frame::c);
        std::vector<ClassId> cycle;
        for (; from != path.end(); ++from) cycle.push_back(from->c);
        found.push_back(std::move(cycle));
      }
    }
  }
  return found;
}

}  // namespace isomer::extract
