// Tensor programs as hash-consed terms, and rules on them without an e-graph: the substrate of searches that
// rewrite one graph at a time (TASO, Jia et al., SOSP 2019). All programs of a search share one table; a
// program is the list of its root terms. A rule's matches at a term depend on the term alone, so each is
// found once however many programs contain it; TASO matches anew in every graph. A term is one node, so that
// matching is a walk without choices, one pattern at one term; an e-graph's matcher (egraph/ematch.h) goes
// through all nodes of classes, for all patterns at once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cost/cost_model.h"
#include "egraph/term_table.h"
#include "rewrite/pricer.h"
#include "rewrite/rule_apply.h"

namespace isomer::rewrite {

using DagTermId = uint32_t;

class TermDag {
 public:
  /// `rules` and `graph` must outlive this. REQUIREs that rules have one or two left sides. What rules make
  /// of the operator `free_when_made` costs nothing.
  TermDag(const ir::Graph& graph, const RuleSet& rules, cost::CostModel& model, ir::OpId free_when_made = {});

  /// Of the outputs, in order.
  const std::vector<DagTermId>& source_roots() const { return source_roots_; }
  size_t size() const { return terms_.size(); }
  std::span<const DagTermId> children(DagTermId t) const { return table_.children(t); }
  double cost(DagTermId t) const { return terms_[t].cost; }
  const TensorFacts& facts(DagTermId t) const { return terms_[t].facts; }
  /// The term with other children of the same types: facts and cost stay.
  DagTermId with_children(DagTermId t, std::span<const DagTermId> children);
  /// Equal for equal terms, whatever table they are in: `deep_hash(t, hashes of its children)`.
  uint64_t deep_hash(DagTermId t) const { return terms_[t].deep_hash; }
  uint64_t deep_hash(DagTermId t, std::span<const uint64_t> children) const;
  uint32_t op(DagTermId t) const { return table_.op(t); }
  /// Terms that are needed for the roots, children before parents, each once.
  std::vector<DagTermId> reachable(std::span<const DagTermId> roots) const;

  struct Match {
    uint32_t rule = 0;
    std::vector<DagTermId> matched;    ///< operators of the left sides, roots included, without repeats
    std::vector<DagTermId> variables;  ///< what class variables stand for
    std::vector<DagTermId> roots, results;
  };
  /// Rules that apply with roots among `terms` (as `reachable` gives them), multi-pattern ones last. Good
  /// until the table is gone.
  std::vector<const Match*> all_matches(std::span<const DagTermId> terms);

  /// The roots as a program; inputs, and names of values that the source has too, are kept.
  ir::Graph to_graph(std::span<const DagTermId> roots) const;

  const CompiledRule& rule(uint32_t number) const { return compiled_[number]; }

 private:
  /// What is known of one.
  struct Term {
    uint64_t deep_hash = 0;
    TensorFacts facts;
    cost::OperandFacts as_operand;  ///< of those who use it; others that take a sum are not looked at
    double cost = 0;
  };
  struct Bindings {
    DagTermId root;
    std::vector<uint32_t> classes, attributes;
    std::vector<DagTermId> matched;
  };
  /// What stands at a place of a two-sided rule: sides that are equal up to names are matched once a term.
  struct Side {
    uint32_t pattern;  ///< into patterns_
    std::vector<uint32_t> class_variable, attr_variable;
  };
  struct MultiRule {
    uint32_t rule;
    Side sides[2];
    std::vector<uint32_t> shared_classes, shared_attributes;
    bool unordered;
  };

  DagTermId add(uint32_t op, uint32_t payload, std::span<const DagTermId> children,
                const TensorFacts* known_facts, const double* known_cost);
  Side side(const egraph::Pattern& pattern);
  bool match(const egraph::Pattern& pattern, uint32_t node, DagTermId t, Bindings& found) const;
  /// Single-pattern rules that apply with this term as their root.
  const std::vector<Match>& matches(DagTermId t);
  void multi_matches(std::span<const DagTermId> terms, std::vector<const Match*>& out);
  /// Null where the pattern does not match.
  const Bindings* pattern_match(uint32_t pattern, DagTermId t);
  /// Fills results; false when the rule does not apply or changes nothing.
  bool instantiate(uint32_t rule, std::span<const uint32_t> classes, std::span<const uint32_t> attributes,
                   Match& match);

  const ir::Graph& source_;
  ir::Context& ctx_;
  Pricer pricer_;
  ir::OpId free_when_made_;
  TensorAnalysis analysis_;
  RightSides right_;
  std::vector<CompiledRule> compiled_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> single_by_op_;  ///< rules by their root's operator
  std::vector<MultiRule> multi_;
  std::vector<egraph::Pattern> patterns_;

  egraph::TermTable<DagTermId> table_;
  std::vector<Term> terms_;
  std::vector<DagTermId> term_of_;  ///< by source value
  std::vector<DagTermId> source_roots_;

  mutable std::vector<bool> seen_;  ///< of `reachable`: false between its calls
  std::vector<std::optional<std::vector<Match>>> single_matches_;
  /// By pattern and term: 0 not looked at yet, 1 no match, else 2 and the place in `bindings_`.
  std::vector<std::vector<uint32_t>> pattern_matches_;
  std::deque<Bindings> bindings_;
  std::unordered_map<uint64_t, std::optional<Match>> multi_memo_;  ///< by rule and roots
};

}  // namespace isomer::rewrite
