// Exact terms and what follows from equations between them: proof-producing congruence closure (Nieuwenhuis
// and Oliveras, 2005). An e-graph forgets which term a rule was applied to, since its nodes stand for
// classes; here a term is a term, so an answer to "why are these two equal?" is a chain that can be replayed.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "egraph/term_table.h"
#include "support/ids.h"

namespace isomer::egraph {

using TermId = Id<struct GroundTermTag>;

using TermBank = TermTable<TermId>;

/// The equalities that follow from those stated, over the terms that were mentioned.
class CongruenceClosure {
 public:
  explicit CongruenceClosure(const TermBank& bank) : bank_(bank) {}

  static constexpr uint32_t kCongruence = 0xFFFFFFFFu;
  /// `from` and `to` are equal by an equation (`label`; `backward` if it was stated the other way round), or
  /// because they have the same operator and their children are equal pairwise.
  struct Edge {
    TermId from, to;
    uint32_t label = kCongruence;
    bool backward = false;
  };

  /// Makes a term and its subterms known.
  void mention(TermId t);
  void equate(TermId a, TermId b, uint32_t label);
  /// Both must have been mentioned.
  bool same(TermId a, TermId b) const { return find(local_.at(a.v)) == find(local_.at(b.v)); }
  /// An arbitrary but fixed member of the term's class.
  TermId representative(TermId t) const { return terms_[find(local_.at(t.v))]; }
  bool mentioned(TermId t) const { return local_.contains(t.v); }
  /// The chain from a to b, empty if they are one term. Children of congruent terms are for the caller to
  /// explain.
  std::vector<Edge> explain(TermId a, TermId b) const;

 private:
  struct Pending {
    uint32_t a, b, label;
  };
  uint32_t add(TermId t);
  uint32_t find(uint32_t n) const {
    while (parent_[n] != n) n = parent_[n];
    return n;
  }
  uint64_t signature(uint32_t n) const;
  bool congruent(uint32_t a, uint32_t b) const;
  /// Finds the term a congruent one stands for, or makes it the one.
  void look_up(uint32_t n);
  void settle();
  void link(uint32_t a, uint32_t b, uint32_t label);

  const TermBank& bank_;
  std::unordered_map<uint32_t, uint32_t> local_;
  std::vector<TermId> terms_;
  std::vector<uint32_t> parent_;              // union-find, by size
  std::vector<std::vector<uint32_t>> users_;  // of a root: terms with a child in the class
  std::vector<uint32_t> size_;
  std::unordered_multimap<uint64_t, uint32_t> table_;
  std::vector<Pending> pending_;
  // The proof forest: an edge to another term of the class, its label, and whether it was stated from there.
  std::vector<uint32_t> proof_, proof_label_;
  std::vector<bool> proof_backward_;
};

}  // namespace isomer::egraph
