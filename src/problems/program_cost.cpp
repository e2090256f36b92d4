#include "problems/program_cost.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "egraph/parent_index.h"
#include "support/errors.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;
using egraph::Store;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

void ProgramCost::grow(const Store& store, Costs& costs) {
  costs.cost.resize(store.slots(), kNever);
  costs.history.resize(store.slots(), kNoHistory);
  costs.pick.resize(store.slots());
}

void ProgramCost::meet(uint32_t key, double value) {
  seen_[key] = round_;
  met_.emplace_back(key, value);
}

double ProgramCost::own_share(ClassId c, const Prices& prices, const Costs& costs) const {
  return extraction_ == Extraction::kSharing ? costs.cost[c.index()]
                                             : std::max(prices[costs.pick[c.index()].index()], 0.0);
}

// Lines 4 to 21 of Algorithm 2, as in extract/sharing_greedy.cpp. What costs nothing has nothing in its
// history that does, so it is passed over.
double ProgramCost::price(std::span<const ClassId> children, double own, const Prices& prices,
                          const Costs& costs, double least) {
  lone_ = ClassId();
  many_ = false;
  double sum = own;
  if (std::isinf(sum)) return kNever;
  if (extraction_ == Extraction::kTree) {
    for (ClassId c : children) sum += costs.cost[c.index()];
    return sum;
  }
  for (ClassId c : children) {
    const double cost = costs.cost[c.index()];
    if (cost == kNever) return kNever;
    if (cost == 0 || c == lone_) continue;
    many_ = many_ || lone_.valid();
    if (!lone_.valid()) lone_ = c;
  }
  if (!lone_.valid()) return sum;
  // The first child adds all that it costs; the others may make it more.
  const double first = sum + costs.cost[lone_.index()];
  if (!many_ || first > least * (1 + 1e-9)) return first;

  met_.clear();
  ++round_;
  if (seen_.size() < costs.cost.size()) seen_.resize(costs.cost.size(), 0);
  const bool published = extraction_ == Extraction::kSharing;
  for (ClassId child : children) {
    const uint32_t m = child.v;
    if (costs.cost[m] == 0 || seen_[m] == round_) continue;
    double added = 0;
    if (published) {
      double shared = 0;
      for_each_met(costs.history[m], [&](const Met& entry) {
        if (seen_[entry.first] == round_)
          shared = std::max(shared, entry.second);
        else
          meet(entry.first, entry.second);
      });
      added = std::max(costs.cost[m] - shared, 0.0);
      meet(m, added);
    } else {
      for_each_met(costs.history[m], [&](const Met& entry) {
        if (seen_[entry.first] == round_) return;
        added += entry.second;
        meet(entry.first, entry.second);
      });
      const double its_own = own_share(child, prices, costs);
      meet(m, its_own);
      added += its_own;
    }
    sum += added;
  }
  return sum;
}

bool ProgramCost::holds(uint32_t history, uint32_t key) const {
  bool found = false;
  for_each_met(history, [&](const Met& entry) { found = found || entry.first == key; });
  return found;
}

uint32_t ProgramCost::extended(ClassId child, double value, uint32_t base) {
  // Chains are cut where walking them would cost more than reading entries in a row.
  constexpr uint32_t kMostLinks = 16;
  const auto first = static_cast<uint32_t>(entries_.size());
  const uint32_t depth = base == kNoHistory ? 0 : links_[base].depth + 1;
  const bool cut = depth > kMostLinks;
  for (uint32_t h = cut ? base : kNoHistory; h != kNoHistory; h = links_[h].base)
    for (uint32_t i = links_[h].first, end = i + links_[h].count; i < end; ++i) {
      const Met entry = entries_[i];  // the array may move
      entries_.push_back(entry);
    }
  entries_.emplace_back(child.v, value);
  links_.push_back(
      {first, static_cast<uint32_t>(entries_.size()) - first, cut ? kNoHistory : base, cut ? 0 : depth});
  return static_cast<uint32_t>(links_.size() - 1);
}

bool ProgramCost::improve(const Store& store, const Prices& prices, NodeId n, Costs& costs) {
  const ClassId c = store.clean_class_of(n);
  const double before = costs.cost[c.index()];
  const double cost = price(store.children(n), std::max(prices[n.index()], 0.0), prices, costs, before);
  if (!(cost < before)) return false;
  if (extraction_ != Extraction::kTree) {
    // A node that needs its own class by way of an outdated history.
    if (many_ ? seen_[c.index()] == round_
              : before != kNever && lone_.valid() && (lone_ == c || holds(costs.history[lone_.index()], c.v)))
      return false;
    uint32_t& history = costs.history[c.index()];
    if (many_) {
      history = static_cast<uint32_t>(links_.size());
      links_.push_back(
          {static_cast<uint32_t>(entries_.size()), static_cast<uint32_t>(met_.size()), kNoHistory, 0});
      entries_.insert(entries_.end(), met_.begin(), met_.end());
    } else if (lone_.valid()) {
      history = extended(lone_, own_share(lone_, prices, costs), costs.history[lone_.index()]);
    } else {
      history = kNoHistory;
    }
  }
  costs.cost[c.index()] = cost;
  costs.pick[c.index()] = n;
  return true;
}

void ProgramCost::begin(const Store& store, std::span<const ClassId> order, const Prices& prices,
                        Costs& costs) {
  REQUIRE(extraction_ != Extraction::kExact, "exact costs are not carried along");
  costs.cost.clear();
  costs.history.clear();
  costs.pick.clear();
  grow(store, costs);
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
  return price(roots, 0, prices, costs, kNever);
}

void ProgramCost::mark() { mark_ = links_.size(); }

void ProgramCost::drop_to_mark() {
  if (links_.size() <= mark_) return;
  entries_.resize(links_[mark_].first);
  links_.resize(mark_);
}

void ProgramCost::keep_only(std::span<Costs* const> needed) {
  std::vector<uint32_t> number(links_.size(), kNoHistory);  // states that come from one another share them
  constexpr uint32_t kNeeded = 0;
  for (const Costs* costs : needed)
    for (uint32_t h : costs->history)
      if (h != kNoHistory) number[h] = kNeeded;
  for (size_t h = links_.size(); h-- > 0;)
    if (number[h] == kNeeded && links_[h].base != kNoHistory) number[links_[h].base] = kNeeded;
  // They move down within their memory, which will be wanted again.
  uint32_t entries = 0, links = 0;
  for (size_t h = 0; h < links_.size(); ++h) {
    if (number[h] != kNeeded) continue;
    Link link = links_[h];
    const auto from = entries_.begin() + link.first;
    std::copy(from, from + link.count, entries_.begin() + entries);
    link.first = entries;
    if (link.base != kNoHistory) link.base = number[link.base];
    entries += link.count;
    number[h] = links;
    links_[links++] = link;
  }
  for (Costs* costs : needed)
    for (uint32_t& h : costs->history)
      if (h != kNoHistory) h = number[h];
  entries_.resize(entries);
  links_.resize(links);
}

}  // namespace isomer::problems
