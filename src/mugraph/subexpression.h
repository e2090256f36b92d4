// Can a tensor be a part of the program? Pruning by abstract expressions (Mirage, theorem: a muGraph whose
// expression equals the program's by the axioms A_eq is never pruned).
//
// The program's term is saturated once, under A_eq, on the same e-graph engine as everything else; a term can
// be a part iff it is congruent to some e-node there, since every child of an e-node is a class of the
// e-graph. Answers are remembered per term: of millions of queries of a search a few thousand are distinct.
// Degrees of sums form the commutative monoid of divisors under multiplication: sum(p m, x) = sum(p, sum(m,
// x)) for each prime p, and sums commute, which gives every factorisation (Mirage's factor pairs are partial,
// its first version kept logarithms). Where a limit ends saturation, saturated() is false and parts may be
// missed, as in Mirage's.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mugraph/abstract_expr.h"
#include "support/limits.h"

namespace isomer::mugraph {

/// An e-node of the saturated program. The degree of a sum is left out.
struct ENode {
  uint32_t of = 0;  ///< its class
  uint32_t symbol = 0;
  std::array<uint32_t, 2> children{};
  int count = 0;        ///< of children
  bool sum = false;     ///< whatever its degree
  bool number = false;  ///< a constant
};

class SubexpressionOracle {
 public:
  /// `terms` must outlive the oracle. Sums have degrees that divide the product of those (each counted once)
  /// in the targets, times `factor`.
  SubexpressionOracle(const Terms& terms, std::span<const TermId> targets, size_t node_limit = 200'000,
                      int64_t factor = 1);
  /// The same answers for terms of another table, for another thread: what was saturated is shared.
  SubexpressionOracle(const SubexpressionOracle& saturated, const Terms& terms)
      : state_(saturated.state_), terms_(terms) {}
  ~SubexpressionOracle();
  SubexpressionOracle(const SubexpressionOracle&) = delete;
  SubexpressionOracle& operator=(const SubexpressionOracle&) = delete;

  /// Whether the term occurs in some term that equals a target.
  bool may_occur(TermId term);
  /// Whether the term equals target number `target` by the axioms.
  bool equals_target(TermId term, size_t target = 0);
  /// A number that equal terms share, or -1 for a term that does not occur.
  int64_t class_of(TermId term);
  /// Whether a symbol (exp, silu, /) occurs in any term that equals a target.
  bool has_symbol(std::string_view symbol) const;

  /// All e-nodes but degrees.
  std::vector<ENode> nodes() const;
  /// The number that e-nodes have for a symbol of terms; none where it does not occur.
  std::optional<uint32_t> symbol(std::string_view of_term) const;
  int64_t target_class(size_t target = 0) const;

  bool saturated() const;
  size_t e_nodes() const;
  uint64_t queries() const { return queries_; }

 private:
  struct State;
  std::shared_ptr<const State> state_;
  const Terms& terms_;
  std::vector<int64_t> known_;  // per term: its class, kUnknown or kAbsent
  uint64_t queries_ = 0;
};

}  // namespace isomer::mugraph
