#include "extract/local_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "extract/users.h"

namespace isomer::extract {

namespace {

// Counts for each class how many picked nodes and roots use it, so that a move costs what it changes. The
// counts know nothing of cycles: a move that looks good is walked before it is kept, and a move that is taken
// back is counted anew if the counts do not come back to where they were.
class LocalSearch {
 public:
  LocalSearch(const Problem& problem, Selection start, uint64_t work)
      : problem_(problem),
        picks_(std::move(start)),
        work_(work),
        uses_(problem.classes(), 0),
        seen_(problem.classes(), 0),
        users_(problem) {}

  Selection run() {
    count_anew();
    std::vector<ClassId> in_use;
    for (bool improved = true; improved && work_ > 0;) {
      improved = false;
      in_use.clear();
      for (uint32_t c = 0; c < problem_.classes(); ++c) {
        if (uses_[c] > 0) in_use.push_back(ClassId(c));
      }
      for (ClassId c : in_use) improved |= exchange(c);
      for (uint32_t m = 0; m < problem_.classes() && work_ > 0; ++m) improved |= pull(ClassId(m));
    }
    return std::move(picks_);
  }

 private:
  struct State {
    double cost;
    size_t classes;
    size_t missing;
  };

  void add(ClassId first) {
    open_.push_back(first);
    while (!open_.empty()) {
      const ClassId c = open_.back();
      open_.pop_back();
      work_ -= std::min<uint64_t>(work_, 1);
      if (uses_[c.index()]++ > 0) continue;
      ++now_.classes;
      if (!picks_[c].valid()) {
        ++now_.missing;
        continue;
      }
      now_.cost += problem_.cost(picks_[c]);
      const auto children = problem_.children(picks_[c]);
      open_.insert(open_.end(), children.begin(), children.end());
    }
  }
  void remove(ClassId first) {
    open_.push_back(first);
    while (!open_.empty()) {
      const ClassId c = open_.back();
      open_.pop_back();
      work_ -= std::min<uint64_t>(work_, 1);
      if (--uses_[c.index()] > 0) continue;
      --now_.classes;
      if (!picks_[c].valid()) {
        --now_.missing;
        continue;
      }
      now_.cost -= problem_.cost(picks_[c]);
      const auto children = problem_.children(picks_[c]);
      open_.insert(open_.end(), children.begin(), children.end());
    }
  }
  void count_anew() {
    std::ranges::fill(uses_, 0u);
    now_ = {0, 0, 0};
    for (ClassId root : problem_.roots()) add(root);
  }

  void change(ClassId c, NodeId n) {
    const NodeId before = picks_[c];
    picks_.pick(c, n);
    if (uses_[c.index()] == 0) return;
    for (ClassId m : problem_.children(n)) add(m);
    for (ClassId m : problem_.children(before)) remove(m);
    now_.cost += problem_.cost(n) - problem_.cost(before);
  }

  // The picks that the roots lead to close no cycle.
  bool acyclic() {
    round_ += 2;  // seen_: round_ while a class is on the path, round_ + 1 when it is done
    path_.clear();
    const auto enter = [&](ClassId c) {
      seen_[c.index()] = round_;
      path_.push_back({c, 0});
    };
    for (ClassId root : problem_.roots()) {
      if (seen_[root.index()] != round_ + 1) enter(root);
      while (!path_.empty()) {
        Frame& f = path_.back();
        const auto children = problem_.children(picks_[f.c]);
        if (f.next == children.size()) {
          seen_[f.c.index()] = round_ + 1;
          path_.pop_back();
          continue;
        }
        const ClassId child = children[f.next++];
        if (seen_[child.index()] == round_) return false;
        if (seen_[child.index()] != round_ + 1) enter(child);
      }
    }
    return true;
  }

  bool better_than(const State& before) {
    return now_.missing == 0 && now_.cost < before.cost - 1e-9 * std::max(1.0, std::abs(before.cost)) &&
           acyclic();
  }
  void settle(const State& before) {
    if (now_.classes != before.classes || now_.missing != before.missing) count_anew();
    now_.cost = before.cost;  // no rounding left over from the way there and back
  }

  bool exchange(ClassId c) {
    bool improved = false;
    for (NodeId n : problem_.nodes_of(c)) {
      if (uses_[c.index()] == 0) break;
      const NodeId old = picks_[c];
      if (n == old || work_ == 0) continue;
      const State before = now_;
      change(c, n);
      if (better_than(before)) {
        improved = true;
        continue;
      }
      change(c, old);
      settle(before);
    }
    return improved;
  }

  bool pull(ClassId m) {
    if (users_.of(m).size() < 2) return false;
    moved_.clear();
    for (const NodeId n : users_.of(m)) {
      const ClassId c = problem_.class_of(n);
      if (c != m && uses_[c.index()] > 0 && picks_[c] != n) moved_.emplace_back(c, n);
    }
    if (moved_.size() < 2) return false;
    const State before = now_;
    for (auto& [c, n] : moved_) {
      const NodeId old = picks_[c];
      change(c, n);
      n = old;
    }
    if (better_than(before)) return true;
    for (auto b = moved_.rbegin(); b != moved_.rend(); ++b) change(b->first, b->second);
    settle(before);
    return false;
  }

  struct Frame {
    ClassId c;
    size_t next;
  };
  const Problem& problem_;
  Selection picks_;
  uint64_t work_;
  State now_{};
  std::vector<uint32_t> uses_;
  std::vector<uint32_t> seen_;
  uint32_t round_ = 0;
  Users users_;
  std::vector<ClassId> open_;
  std::vector<Frame> path_;
  std::vector<std::pair<ClassId, NodeId>> moved_;
};

}  // namespace

Selection local_search(const Problem& problem, Selection start, uint64_t work) {
  return LocalSearch(problem, std::move(start), work).run();
}

}  // namespace isomer::extract
