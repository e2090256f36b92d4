// What the cheapest program in an e-graph costs, carried along while the e-graph grows: the greedy cost
// functions of egg (a tree) and of Hartmann, He and Yoneki (2024, Algorithm 2: extract/sharing_greedy.h, as
// published and corrected) started from where they stood. Their passes over all classes go on "until no class
// becomes cheaper"; when nodes are added nothing but these can make one cheaper, so only they are priced, and
// then the parents of what became cheaper, cheapest first.
//
// A class's constituent costs (its history) are written once and shared by all states that came from there.
// Most nodes have one operand that costs anything (the others are weights): such a node's history is its
// operand's and one entry more, and is written as that; its cost needs no look at the history at all. Written
// out for each class, histories of a hundred entries were most of the time of a step.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "egraph/store.h"

namespace isomer::problems {

enum class Extraction : uint8_t {
  kTree,              ///< egg's and TENSAT's: shared parts count once for each use
  kSharing,           ///< Algorithm 2 as published
  kSharingCorrected,  ///< exact on e-graphs without choices
  kExact,             ///< extract/exact.h (the paper's integer program); from nothing each time
};

/// By node; infinite for nodes that may not be picked.
using Prices = std::vector<double>;

/// Of one e-graph, by canonical class.
struct Costs {
  std::vector<double> cost;       ///< infinite where no term is known
  std::vector<uint32_t> history;  ///< number of the class's history
  std::vector<egraph::NodeId> pick;
};

class ProgramCost {
 public:
  /// Not kExact.
  explicit ProgramCost(Extraction extraction) : extraction_(extraction) {}

  /// From nothing. The store must be clean. `order`: its classes, children first (egraph/order.h).
  void begin(const egraph::Store& store, std::span<const egraph::ClassId> order, const Prices& prices,
             Costs& costs);
  /// Nodes from `from` on are new; of the others, classes, prices and filters are as they were.
  void extend(const egraph::Store& store, const Prices& prices, size_t from, Costs& costs);
  /// Of all roots together.
  double total(std::span<const egraph::ClassId> roots, const Prices& prices, const Costs& costs);

  /// Histories made from here on are dropped by `drop_to_mark`.
  void mark();
  void drop_to_mark();
  /// Only these costs are still needed.
  void keep_only(std::span<Costs* const> needed);
  size_t histories() const { return links_.size(); }
  size_t memory_bytes() const { return entries_.size() * sizeof(Met) + links_.size() * sizeof(Link); }

 private:
  using Met = std::pair<uint32_t, double>;  // class, and what it added
  /// A history: entries of its own, and all of an older one.
  struct Link {
    uint32_t first, count;
    uint32_t base;  ///< kNoHistory: none
    uint32_t depth;
  };
  static constexpr uint32_t kNoHistory = 0xFFFFFFFFu;

  /// Of a node, or of all roots. More than `least` may be cut short to any sum that is. Leaves behind what a
  /// history is made of: `lone_`, the only child that costs anything, or (`many_`) what was met.
  double price(std::span<const egraph::ClassId> children, double own, const Prices& prices,
               const Costs& costs, double least);
  bool improve(const egraph::Store& store, const Prices& prices, egraph::NodeId n, Costs& costs);
  static void grow(const egraph::Store& store, Costs& costs);
  void meet(uint32_t key, double value);
  /// What a child adds to a node that has met nothing else.
  double own_share(egraph::ClassId c, const Prices& prices, const Costs& costs) const;
  uint32_t extended(egraph::ClassId child, double value, uint32_t base);
  bool holds(uint32_t history, uint32_t key) const;
  template <class F>
  void for_each_met(uint32_t history, F&& f) const {
    for (; history != kNoHistory; history = links_[history].base) {
      const Link& link = links_[history];
      for (uint32_t i = link.first; i < link.first + link.count; ++i) f(entries_[i]);
    }
  }

  Extraction extraction_;
  std::vector<Met> entries_;
  std::vector<Link> links_;
  size_t mark_ = 0;
  // Of the node that is priced.
  std::vector<Met> met_;
  egraph::ClassId lone_;
  bool many_ = false;
  std::vector<uint32_t> seen_;
  uint32_t round_ = 0;
};

}  // namespace isomer::problems
