#include "extract/local_search.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace isomer::extract {

namespace {

class LocalSearch {
 public:
  LocalSearch(const Problem& problem, Selection start, uint64_t work)
      : problem_(problem), picks_(std::move(start)), work_(work), seen_(problem.classes(), 0) {
    users_.resize(problem.classes());
    for (uint32_t n = 0; n < problem.nodes(); ++n) {
      for (ClassId m : problem.children(NodeId(n))) {
        if (users_[m.index()].empty() || users_[m.index()].back() != NodeId(n)) {
          users_[m.index()].push_back(NodeId(n));
        }
      }
    }
  }

  Selection run() {
    cost_ = price();
    for (bool improved = true; improved && work_ > 0;) {
      improved = false;
      price();
      const std::vector<ClassId> in_use = order_;
      for (ClassId c : in_use) improved |= exchange(c);
      for (uint32_t m = 0; m < problem_.classes() && work_ > 0; ++m) improved |= pull(ClassId(m));
    }
    return std::move(picks_);
  }

 private:
  // The DAG cost of the picks, infinite where they are incomplete or cyclic. Leaves the classes in use in
  // order_, children first.
  double price() {
    order_.clear();
    round_ += 2;  // seen_: round_ while a class is on the path, round_ + 1 when it is done
    double sum = 0;
    for (ClassId root : problem_.roots()) {
      if (seen_[root.index()] != round_ + 1 && !enter(root)) return kInfinity;
      while (!path_.empty()) {
        Frame& f = path_.back();
        const auto children = problem_.children(picks_[f.c]);
        if (f.next == children.size()) {
          seen_[f.c.index()] = round_ + 1;
          sum += problem_.cost(picks_[f.c]);
          order_.push_back(f.c);
          path_.pop_back();
          continue;
        }
        const ClassId child = children[f.next++];
        if (seen_[child.index()] == round_ + 1) continue;
        if (seen_[child.index()] == round_ || !enter(child)) {
          path_.clear();
          return kInfinity;
        }
      }
    }
    return sum;
  }
  bool enter(ClassId c) {
    if (!picks_[c].valid()) return false;
    work_ -= std::min<uint64_t>(work_, 1);
    seen_[c.index()] = round_;
    path_.push_back({c, 0});
    return true;
  }
  bool in_use(ClassId c) const { return seen_[c.index()] == round_ + 1; }

  bool keep_if_better() {
    const double cost = price();
    if (cost >= cost_ - 1e-12) return false;
    cost_ = cost;
    return true;
  }

  bool exchange(ClassId c) {
    bool improved = false;
    for (NodeId n : problem_.nodes_of(c)) {
      const NodeId before = picks_[c];
      if (n == before || work_ == 0) continue;
      picks_.pick(c, n);
      if (keep_if_better()) {
        improved = true;
      } else {
        picks_.pick(c, before);
      }
    }
    return improved;
  }

  bool pull(ClassId m) {
    if (users_[m.index()].size() < 2) return false;
    price();  // marks what is in use now
    std::vector<std::pair<ClassId, NodeId>> before;
    for (NodeId n : users_[m.index()]) {
      const ClassId c = problem_.class_of(n);
      if (c == m || !in_use(c) || picks_[c] == n) continue;
      before.emplace_back(c, picks_[c]);
      picks_.pick(c, n);
    }
    if (before.size() < 2) {
      for (const auto& [c, n] : before) picks_.pick(c, n);
      return false;
    }
    if (keep_if_better()) return true;
    for (auto b = before.rbegin(); b != before.rend(); ++b) picks_.pick(b->first, b->second);
    return false;
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Frame {
    ClassId c;
    size_t next;
  };
  const Problem& problem_;
  Selection picks_;
  uint64_t work_;
  double cost_ = kInfinity;
  std::vector<std::vector<NodeId>> users_;
  std::vector<uint32_t> seen_;
  uint32_t round_ = 0;
  std::vector<Frame> path_;
  std::vector<ClassId> order_;
};

}  // namespace

Selection local_search(const Problem& problem, Selection start, uint64_t work) {
  return LocalSearch(problem, std::move(start), work).run();
}

}  // namespace isomer::extract
