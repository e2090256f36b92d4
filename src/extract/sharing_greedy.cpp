#include "extract/sharing_greedy.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "extract/settle.h"

namespace isomer::extract {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Pricing {
 public:
  Pricing(const Problem& problem, SharingCost version)
      : problem_(problem),
        version_(version),
        history_(problem.classes()),
        cost_(problem.classes(), kInfinity),
        value_(problem.classes(), 0),
        seen_(problem.classes(), 0),
        selection_(problem.classes()) {}

  SharingGreedy run() {
    constexpr int kMostPasses = 100;
    bool changed = true;
    for (int pass = 0; pass < kMostPasses && changed; ++pass) {
      changed = false;
      // Later classes first: in problems made from an e-graph they are nearer to the leaves.
      for (size_t i = problem_.classes(); i-- > 0;) changed |= improve(ClassId(i));
    }
    return {acyclic(), cost_};
  }

 private:
  using History = std::vector<std::pair<uint32_t, double>>;

  double own(NodeId n) const { return std::max(problem_.cost(n), 0.0); }

  bool improve(ClassId c) {
    bool changed = false;
    for (NodeId n : problem_.nodes_of(c)) {
      const double cost = price(n);
      if (cost >= cost_[c.index()]) continue;
      cost_[c.index()] = cost;
      history_[c.index()] = collect();
      selection_.pick(c, n);
      changed = true;
    }
    return changed;
  }

  // Lines 4 to 21 of Algorithm 2; the e-node's history is what was met.
  double price(NodeId n) {
    ++round_;
    met_.clear();
    double sum = own(n);
    for (ClassId child : problem_.children(n)) {
      const uint32_t m = child.v;
      if (cost_[m] == kInfinity) return kInfinity;
      if (seen_[m] == round_) continue;  // case 1
      double added = 0;
      if (version_ == SharingCost::kPublished) {
        double shared = 0;  // case 2; nothing is in case 3
        for (const auto& [key, value] : history_[m]) {
          if (seen_[key] == round_)
            shared = std::max(shared, value);
          else
            meet(key, value);
        }
        added = std::max(cost_[m] - shared, 0.0);
        meet(m, added);
      } else {
        for (const auto& [key, value] : history_[m]) {
          if (seen_[key] == round_) continue;
          added += value;
          meet(key, value);
        }
        meet(m, own(selection_[child]));
        added += own(selection_[child]);
      }
      sum += added;
    }
    return seen_[problem_.class_of(n).index()] == round_ ? kInfinity : sum;
  }
  void meet(uint32_t key, double value) {
    seen_[key] = round_;
    value_[key] = value;
    met_.push_back(key);
  }
  History collect() const {
    History history;
    history.reserve(met_.size());
    for (uint32_t key : met_) history.emplace_back(key, value_[key]);
    return history;
  }

  // Histories are not repaired when a class below changes its mind, so that picks may close a cycle after
  // all. Settled in order of their costs they cannot; without a cycle every class keeps its pick.
  Selection acyclic() const {
    Selection result(problem_.classes());
    const auto price = [&](NodeId n) {
      const ClassId c = problem_.class_of(n);
      const double base = cost_[c.index()];
      return selection_[c] == n ? base : base * (1 + 1e-6) + own(n) + 1e12;
    };
    settle_cheapest_first(problem_, price, [&](ClassId c, NodeId n) { result.pick(c, n); });
    return result;
  }

  const Problem& problem_;
  SharingCost version_;
  std::vector<History> history_;
  std::vector<double> cost_;
  std::vector<double> value_;  // by class, of the e-node that is priced
  std::vector<uint32_t> seen_;
  std::vector<uint32_t> met_;
  uint32_t round_ = 0;
  Selection selection_;
};

}  // namespace

SharingGreedy sharing_greedy(const Problem& problem, SharingCost version) {
  return Pricing(problem, version).run();
}

}  // namespace isomer::extract
