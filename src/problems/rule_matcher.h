// One rule at a time on e-graphs that come and go: what a search over rules asks thousands of times a second.
// Saturation searches for all rules at once and walks over all nodes; here the nodes are listed by operator
// once an e-graph, a pattern is tried at the nodes of its root's operator only, and a pattern whose operators
// or literal attributes the e-graph does not have is not tried at all.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "rewrite/rule_apply.h"

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
  bool has_payload(uint32_t payload) const { return payload < seen_.size() && seen_[payload] != 0; }
  size_t memory_bytes() const {
    return (first_.capacity() + at_.capacity() + nodes_.capacity()) * sizeof(uint32_t) + seen_.capacity();
  }

 private:
  std::vector<uint32_t> first_, at_;
  std::vector<egraph::NodeId> nodes_;
  std::vector<uint8_t> seen_;
};

class RuleMatcher {
 public:
  /// The rules must stay where they are.
  RuleMatcher(ir::Context& ctx, const rewrite::RuleSet& rules);
  ~RuleMatcher();
  RuleMatcher(const RuleMatcher&) = delete;
  RuleMatcher& operator=(const RuleMatcher&) = delete;

  size_t size() const { return rules_.size(); }
  const rewrite::CompiledRule& rule(uint32_t number) const { return rules_[number].compiled; }

  /// Numbers of the distinct left sides of a rule.
  std::span<const uint32_t> left_sides(uint32_t rule) const { return rules_[rule].lefts; }
  size_t distinct_left_sides() const { return patterns_.size(); }
  /// A bit for each operator that a match of a left side needs; operators share bits.
  uint64_t operators(uint32_t left) const { return lefts_[left].operators; }
  static uint64_t bit(uint32_t op) { return uint64_t{1} << (op % 64); }
  /// Whether a left side is represented.
  bool represented(const egraph::Store& store, const OperatorIndex& index, uint32_t left);

  /// The classes that a left side matches in, once for each match.
  std::vector<egraph::ClassId> roots(const egraph::Store& store, const OperatorIndex& index, uint32_t left);

  /// All matches of a rule as the e-graph is now, which must be clean.
  void find(const egraph::Store& store, const OperatorIndex& index, uint32_t rule);
  /// Visits the matches found last, joined by what left sides share, as egraph::MultiPattern::join does, with
  /// `wanted` as there.
  template <class Wanted, class Visit>
  void for_each(uint32_t rule, Wanted&& wanted, Visit&& visit) {
    rules_[rule].pattern.join(found_, scratch_, wanted, visit);
  }
  size_t parts(uint32_t rule) const { return rules_[rule].pattern.parts(); }
  /// The left side of a part.
  uint32_t left_side(uint32_t rule, size_t part) const { return rules_[rule].pattern.program(part); }
  /// Of the class variables of a part's left side those that the right sides use.
  std::span<const uint32_t> used(uint32_t rule, size_t part) const { return rules_[rule].used[part]; }
  /// The matches of a left side that were found last.
  const egraph::Matches& found(uint32_t left) const { return found_[left]; }

 private:
  struct Walk;
  struct Left {
    egraph::CodeTree tree;
    std::unique_ptr<Walk> walk;           ///< null until first used
    std::vector<uint32_t> ops, payloads;  ///< that a match needs
    uint64_t operators = 0;               ///< `ops` as bits
    bool bare = false;                    ///< no operator at the root
  };
  struct Entry {
    rewrite::CompiledRule compiled;
    egraph::MultiPattern pattern;  ///< of one left side or more
    std::vector<uint32_t> lefts;
    std::vector<std::vector<uint32_t>> used;  ///< by part
  };
  bool possible(const OperatorIndex& index, const Left& left) const;
  /// Appends matches to found_[left]; at most `most`.
  void search(const egraph::Store& store, const OperatorIndex& index, uint32_t left, size_t most);

  rewrite::TensorLanguage language_;
  std::deque<Entry> rules_;
  egraph::PatternSet patterns_;
  std::deque<Left> lefts_;
  std::vector<egraph::Matches> found_;  ///< by left side
  egraph::MultiPattern::Scratch scratch_;
};

}  // namespace isomer::problems
