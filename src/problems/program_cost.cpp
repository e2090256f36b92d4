#include "problems/program_cost.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "egraph/order.h"
#include "egraph/parent_index.h"
#include "support/errors.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;
using egraph::Store;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr uint32_t kNone = 0xFFFFFFFFu;

void grow(const Store& store, Costs& costs) {
  costs.cost.resize(store.slots(), kNever);
  costs.history.resize(store.slots(), kNone);
  costs.pick.resize(store.slots());
}

}  // namespace

void ProgramCost::meet(uint32_t key, double value) {
  seen_[key] = round_;
  met_.emplace_back(key, value);
}

// Lines 4 to 21 of Algorithm 2, as in extract/sharing_greedy.cpp.
double ProgramCost::price(std::span<const ClassId> children, double own, const Prices& prices,
                          const Costs& costs) {
  met_.clear();
  double sum = own;
  if (std::isinf(sum)) return kNever;
  if (extraction_ == Extraction::kTree) {
    for (ClassId c : children) sum += costs.cost[c.index()];
    return sum;
  }
  ++round_;
  if (seen_.size() < costs.cost.size()) seen_.resize(costs.cost.size(), 0);
  const bool published = extraction_ == Extraction::kSharing;
  for (ClassId child : children) {
    const uint32_t m = child.v;
    if (costs.cost[m] == kNever) return kNever;
    if (seen_[m] == round_) continue;
    double added = 0;
    if (published) {
      double shared = 0;
      for (const auto& [key, value] : history(costs.history[m])) {
        if (seen_[key] == round_)
          shared = std::max(shared, value);
        else
          meet(key, value);
      }
      added = std::max(costs.cost[m] - shared, 0.0);
      meet(m, added);
    } else {
      for (const auto& [key, value] : history(costs.history[m])) {
        if (seen_[key] == round_) continue;
        added += value;
        meet(key, value);
      }
      const double its_own = std::max(prices[costs.pick[m].index()], 0.0);
      meet(m, its_own);
      added += its_own;
    }
    sum += added;
  }
  return sum;
}

bool ProgramCost::improve(const Store& store, const Prices& prices, NodeId n, Costs& costs) {
  const ClassId c = store.clean_class_of(n);
  const double cost = price(store.children(n), std::max(prices[n.index()], 0.0), prices, costs);
  if (!(cost < costs.cost[c.index()])) return false;
  // A node that needs its own class by way of an outdated history.
  if (extraction_ != Extraction::kTree && seen_[c.index()] == round_) return false;
  costs.cost[c.index()] = cost;
  costs.pick[c.index()] = n;
  if (extraction_ != Extraction::kTree) {
    entries_.insert(entries_.end(), met_.begin(), met_.end());
    first_.push_back(entries_.size());
    costs.history[c.index()] = static_cast<uint32_t>(first_.size() - 2);
  }
  return true;
}

void ProgramCost::begin(const Store& store, const Prices& prices, Costs& costs) {
  REQUIRE(extraction_ != Extraction::kExact, "exact costs are not carried along");
  costs.cost.clear();
  costs.history.clear();
  costs.pick.clear();
  grow(store, costs);
  const std::vector<ClassId> order = egraph::children_first(store);
  constexpr int kMostPasses = 100;  // one, where there are no cycles
  bool changed = true;
  for (int pass = 0; pass < kMostPasses && changed; ++pass) {
    changed = false;
    bool missing = false;
    for (ClassId c : order) {
      for (NodeId n : store.nodes_in(c))
        if (store.usable(n)) changed = improve(store, prices, n, costs) || changed;
      missing = missing || costs.cost[c.index()] == kNever;
    }
    if (pass == 0 && !missing) break;
  }
}

void ProgramCost::extend(const Store& store, const Prices& prices, size_t from, Costs& costs) {
  grow(store, costs);
  using Entry = std::pair<double, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> cheaper;
  for (size_t i = from; i < store.slots(); ++i) {
    const NodeId n(i);
    if (!store.usable(n) || !improve(store, prices, n, costs)) continue;
    const ClassId c = store.clean_class_of(n);
    // New classes have no parents but new nodes, which come after them.
    if (c.index() < from) cheaper.emplace(costs.cost[c.index()], c.v);
  }
  if (cheaper.empty()) return;
  const egraph::ParentIndex parents(store);
  while (!cheaper.empty()) {
    const auto [cost, c] = cheaper.top();
    cheaper.pop();
    if (cost != costs.cost[c]) continue;
    for (NodeId n : parents.parents(ClassId(c)))
      if (store.usable(n) && improve(store, prices, n, costs)) {
        const ClassId above = store.clean_class_of(n);
        cheaper.emplace(costs.cost[above.index()], above.v);
      }
  }
}

double ProgramCost::total(std::span<const ClassId> roots, const Prices& prices, const Costs& costs) {
  return price(roots, 0, prices, costs);
}

void ProgramCost::mark() { mark_ = first_.size(); }

void ProgramCost::drop_to_mark() {
  first_.resize(mark_);
  entries_.resize(first_.back());
}

void ProgramCost::keep_only(std::span<Costs* const> needed) {
  std::vector<Met> entries;
  std::vector<size_t> first{0};
  std::vector<uint32_t> moved(histories(), kNone);  // states that come from one another share them
  for (Costs* costs : needed)
    for (uint32_t& h : costs->history) {
      if (h == kNone) continue;
      if (moved[h] == kNone) {
        const auto kept = history(h);
        entries.insert(entries.end(), kept.begin(), kept.end());
        first.push_back(entries.size());
        moved[h] = static_cast<uint32_t>(first.size() - 2);
      }
      h = moved[h];
    }
  entries_ = std::move(entries);
  first_ = std::move(first);
}

}  // namespace isomer::problems
