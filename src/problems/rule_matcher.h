// One rule at a time on e-graphs that come and go: what a search over rules asks thousands of times a second.
// Saturation searches for all rules at once and walks over all nodes; here the nodes are listed by operator
// once an e-graph, a pattern is tried at the nodes of its root's operator only, and a pattern whose operators
// or literal attributes the e-graph does not have is not tried at all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "rewrite/rule_apply.h"
#include "support/hash.h"

namespace isomer::problems {

/// Nodes of a clean e-graph by operator. Valid until the e-graph changes.
class OperatorIndex {
 public:
  void build(const egraph::Store& store);
  /// Usable nodes, in order.
  std::span<const egraph::NodeId> nodes(uint32_t op) const {
    if (op + 1 >= first_.size()) return {};
    return {nodes_.data() + first_[op], first_[op + 1] - first_[op]};
  }
  /// Some usable node has this payload (with whatever operator).
  bool has_payload(uint32_t payload) const { return payload < seen_.size() && seen_[payload]; }

 private:
  std::vector<uint32_t> first_, at_;
  std::vector<egraph::NodeId> nodes_;
  std::vector<bool> seen_;
};

class RuleMatcher {
 public:
  /// The rules must stay where they are.
  RuleMatcher(ir::Context& ctx, const rewrite::RuleSet& rules);

  size_t size() const { return rules_.size(); }
  const rewrite::CompiledRule& rule(uint32_t number) const { return rules_[number].compiled; }

  /// Numbers of the distinct left sides of a rule.
  std::span<const uint32_t> left_sides(uint32_t rule) const { return rules_[rule].lefts; }
  size_t distinct_left_sides() const { return patterns_.size(); }
  /// Whether a left side is represented.
  bool represented(const egraph::Store& store, const OperatorIndex& index, uint32_t left);

  /// All matches of a rule as the e-graph is now, which must be clean.
  void find(const egraph::Store& store, const OperatorIndex& index, uint32_t rule);
  /// Visits the matches found last, joined by what left sides share, in a fixed order
  /// (egraph::MultiPattern's): visit(classes of the left sides, joint substitution, for each part, in the
  /// rule's order, the number of its match among those of its left side). Ends when the visitor returns
  /// false. Before, wanted(the last) may say that a joint match is not worth a visit.
  template <class Wanted, class Visit>
  void for_each(uint32_t rule, Wanted&& wanted, Visit&& visit) {
    const Entry& e = rules_[rule];
    if (begin_join(e)) take(e, 0, 0, wanted, visit);
  }
  /// The left side of a part.
  uint32_t left_side(uint32_t rule, size_t part) const { return rules_[rule].parts[part].left; }
  /// The matches of a left side that were found last.
  const egraph::Matches& found(uint32_t left) const { return found_[left]; }

 private:
  struct Left {
    egraph::CodeTree tree;
    std::vector<uint32_t> ops, payloads;  ///< that a match needs
    bool bare = false;                    ///< no operator at the root
  };
  struct Part {
    uint32_t left;
    std::vector<uint32_t> place;   ///< of each binding of a match, in the joint ones
    std::vector<uint32_t> shared;  ///< bindings that earlier parts have too
    int same_as = -1;              ///< the last earlier part with this left side, where pairs are unordered
  };
  struct Entry {
    rewrite::CompiledRule compiled;
    std::vector<Part> parts;
    std::vector<uint32_t> lefts;
  };
  struct Keyed {
    uint64_t hash;  ///< of the shared bindings
    uint32_t match;
    auto operator<=>(const Keyed&) const = default;
  };
  bool begin_join(const Entry& e);
  /// Joins on from a part, whose matches are tried from `first` on. False: the visitor had enough.
  template <class Wanted, class Visit>
  bool take(const Entry& e, size_t p, uint32_t first, Wanted& wanted, Visit& visit) {
    const Part& part = e.parts[p];
    const egraph::Matches& matches = found_[part.left];
    uint64_t hash = 0;
    for (uint32_t i : part.shared) hash = hash_combine(hash, joint_[part.place[i]]);
    const std::vector<Keyed>& keyed = keyed_[p];
    for (auto k = p == 0 ? keyed.begin() : std::ranges::lower_bound(keyed, Keyed{hash, first});
         k != keyed.end() && (p == 0 || k->hash == hash); ++k) {
      const egraph::ClassId root = matches.root(k->match);
      if (std::find(roots_.begin(), roots_.begin() + static_cast<std::ptrdiff_t>(p), root) !=
          roots_.begin() + static_cast<std::ptrdiff_t>(p))
        continue;
      const egraph::Subst match = matches.subst(k->match);
      if (!std::ranges::all_of(part.shared,
                               [&](uint32_t i) { return match.values[i] == joint_[part.place[i]]; }))
        continue;
      roots_[p] = root;
      chosen_[p] = k->match;
      if (p + 1 == e.parts.size() && !wanted(std::span<const uint32_t>(chosen_))) continue;
      for (size_t i = 0; i < part.place.size(); ++i) joint_[part.place[i]] = match.values[i];
      if (p + 1 == e.parts.size()) {
        if (!visit(std::span<const egraph::ClassId>(roots_), egraph::Subst{joint_, e.compiled.tensors},
                   std::span<const uint32_t>(chosen_)))
          return false;
        continue;
      }
      const int same = e.parts[p + 1].same_as;
      if (!take(e, p + 1, same < 0 ? 0 : chosen_[static_cast<size_t>(same)] + 1, wanted, visit)) return false;
    }
    return true;
  }
  bool possible(const OperatorIndex& index, const Left& left) const;
  /// Appends matches to found_[left]; at most `most`.
  void search(const egraph::Store& store, const OperatorIndex& index, uint32_t left, size_t most);

  rewrite::TensorLanguage language_;
  std::deque<Entry> rules_;
  egraph::PatternSet patterns_;
  std::deque<Left> lefts_;
  std::vector<egraph::Matches> found_;  ///< by left side
  // Of the join under way.
  std::vector<std::vector<Keyed>> keyed_;  ///< by part; the first one's as they come
  std::vector<egraph::ClassId> roots_;
  std::vector<uint32_t> chosen_, joint_;
};

}  // namespace isomer::problems
