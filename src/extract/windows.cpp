#include "extract/windows.h"

#include <algorithm>
#include <cmath>

#include "extract/blocks.h"
#include "extract/check.h"
#include "extract/exact.h"
#include "extract/near_start.h"
#include "extract/reduce.h"
#include "extract/users.h"

namespace isomer::extract {

namespace {

class WindowSearch {
 public:
  WindowSearch(const Problem& problem, Selection start)
      : problem_(problem), picks_(std::move(start)), users_(problem) {
    cost_ = check(problem, picks_).dag_cost;
  }

  Selection run(const Deadline& deadline, Rng& rng, const WindowOptions& options) {
    size_t size = options.nodes;
    uint64_t idle = 0;
    std::vector<ClassId> used = in_use();
    for (uint64_t i = 0; i < options.most_windows && idle < options.patience && !deadline.over(); ++i) {
      if (used.empty() || (options.has_bound && cost_ <= options.bound + 1e-9 * std::abs(cost_))) break;
      const std::vector<bool> keep = window(used[rng.below(used.size())], size, rng);
      bool proved = false;
      if (improve(keep, deadline.part(1, 1.0), proved)) {
        idle = 0;
        used = in_use();
      } else {
        ++idle;
      }
      // Windows that are proved at once could be larger.
      size = std::clamp<size_t>(proved ? size + size / 8 : size - size / 4, 50, problem_.nodes());
      if (proved && size == problem_.nodes()) break;
    }
    return std::move(picks_);
  }

 private:
  std::vector<ClassId> in_use() const {
    std::vector<ClassId> used(problem_.roots().begin(), problem_.roots().end());
    std::vector<bool> seen(problem_.classes(), false);
    for (ClassId c : used) seen[c.index()] = true;
    for (size_t i = 0; i < used.size(); ++i) {
      for (ClassId m : problem_.children(picks_[used[i]])) {
        if (!seen[m.index()]) used.push_back(m);
        seen[m.index()] = true;
      }
    }
    // A class with one node has nothing to choose, but it is as good a middle as any other.
    return used;
  }

  // Nodes that may be picked: those of the classes around `middle`, and everybody's pick.
  std::vector<bool> window(ClassId middle, size_t size, Rng& rng) const {
    std::vector<bool> keep(problem_.nodes(), false);
    for (uint32_t c = 0; c < problem_.classes(); ++c) {
      if (picks_[ClassId(c)].valid()) keep[picks_[ClassId(c)].index()] = true;
    }
    std::vector<ClassId> open{middle};
    std::vector<bool> seen(problem_.classes(), false);
    seen[middle.index()] = true;
    size_t freed = 0;
    const auto reach = [&](ClassId c) {
      if (!seen[c.index()]) open.push_back(c);
      seen[c.index()] = true;
    };
    for (size_t i = 0; i < open.size() && freed < size; ++i) {
      // A little disorder, so that the same middle gives other windows.
      if (i + 1 < open.size()) std::swap(open[i], open[i + rng.below(std::min<size_t>(open.size() - i, 8))]);
      const ClassId c = open[i];
      freed += problem_.nodes_of(c).size();
      for (NodeId n : problem_.nodes_of(c)) {
        keep[n.index()] = true;
        for (ClassId m : problem_.children(n)) reach(m);
      }
      for (const NodeId user : users_.of(c)) reach(problem_.class_of(user));
    }
    return keep;
  }

  bool improve(const std::vector<bool>& keep, const Deadline& deadline, bool& proved) {
    const Block part = restricted(problem_, keep, problem_.roots());
    const Reduced reduced = reduce(part.problem);
    if (!reduced.feasible) return false;
    const Selection start = near_start(problem_, picks_, part, reduced, 500'000);
    const ExactOutcome outcome = solve_exactly(reduced.problem, start, deadline);
    proved = outcome.optimal;
    Selection candidate = picks_;
    part.write_back(reduced.lift(part.problem, outcome.selection), candidate);
    const Verdict verdict = check(problem_, candidate);
    if (!verdict.valid || verdict.dag_cost >= cost_ - 1e-9 * std::max(1.0, std::abs(cost_))) return false;
    cost_ = verdict.dag_cost;
    picks_ = std::move(candidate);
    return true;
  }

  const Problem& problem_;
  Selection picks_;
  double cost_ = 0;
  Users users_;
};

}  // namespace

Selection window_search(const Problem& problem, Selection start, const Deadline& deadline, Rng& rng,
                        const WindowOptions& options) {
  return WindowSearch(problem, std::move(start)).run(deadline, rng, options);
}

}  // namespace isomer::extract
